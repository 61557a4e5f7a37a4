#!/bin/sh
# Makes the certificates and keys of the TLS tests, for a hundred years; needs OpenSSL 3. They protect nothing.
set -eu
cd "$(dirname "$0")"
days=36500

# authority NAME: a certificate that signs others
authority() {
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days $days -subj "/CN=$1" \
    -keyout "$1.tmp" -out "$1.crt" 2>/dev/null
}

# signed AUTHORITY NAME KEY: the certificate of a key
signed() {
  openssl req -new -key "$3" -subj "/CN=$2" -out request.tmp
  printf 'subjectAltName=DNS:localhost,IP:127.0.0.1\n' > extensions.tmp
  openssl x509 -req -in request.tmp -CA "$1.crt" -CAkey "$1.tmp" -CAcreateserial -CAserial serial.tmp \
    -days $days -extfile extensions.tmp -out "$2.crt" 2>/dev/null
}

authority authority
authority stranger

# One kind of key after the other, in all ways in which it is written.
openssl genrsa -out rsa.key 2048 2>/dev/null
openssl rsa -in rsa.key -traditional -out rsa-pkcs1.key 2>/dev/null
openssl rsa -in rsa.key -traditional -aes128 -passout pass:secret -out rsa-pkcs1-encrypted.key 2>/dev/null
openssl pkcs8 -topk8 -in rsa.key -passout pass:secret -out rsa-encrypted.key
signed authority rsa rsa.key

openssl ecparam -name prime256v1 -genkey -noout -out ec-sec1.key
openssl pkcs8 -topk8 -nocrypt -in ec-sec1.key -out ec.key
signed authority ec ec.key

openssl genpkey -algorithm ed25519 -out ed25519.key
signed authority ed25519 ed25519.key

# Clients: one of the authority, one of somebody else.
openssl genpkey -algorithm ec -pkeyopt ec_paramgen_curve:P-256 -out client.key
signed authority client client.key
openssl genpkey -algorithm ec -pkeyopt ec_paramgen_curve:P-256 -out stranger-client.key
signed stranger stranger-client stranger-client.key

rm -f ./*.tmp
