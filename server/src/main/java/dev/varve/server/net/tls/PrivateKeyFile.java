package dev.varve.server.net.tls;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.Cipher;
import javax.crypto.EncryptedPrivateKeyInfo;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;

/**
 * Reads a private key in any of the ways in which tools write it: PKCS #8 (RFC 5958), encrypted or
 * not, and what OpenSSL wrote before, PKCS #1 (RFC 8017) and SEC 1 (RFC 5915).
 *
 * <p>Pure functions, any thread.
 */
final class PrivateKeyFile {
  /* The JDK reads PKCS #8 alone, which is the others with the kind of the key before them. */

  /** A key in RFC 7468's armor: what it is, and its bytes in base 64. */
  private static final Pattern ARMOR =
      Pattern.compile(
          "-----BEGIN ((?:ENCRYPTED |RSA |EC )?PRIVATE KEY)-----(.+?)-----END \\1-----",
          Pattern.DOTALL);

  /** How a key was encrypted before there was PKCS #8, RFC 1421. */
  private static final String ENCRYPTED_BEFORE = "ENCRYPTED";

  private static final List<String> KINDS = List.of("RSA", "EC", "EdDSA");

  // Distinguished encoding rules, X.690.
  private static final byte INTEGER = 0x02;
  private static final byte OCTETS = 0x04;
  private static final byte SEQUENCE = 0x30;
  private static final byte PARAMETERS = (byte) 0xA0;
  private static final int HEADER_BYTES_MAX = 4;
  private static final byte[] ZERO = {INTEGER, 1, 0};

  /** rsaEncryption without parameters, RFC 3279. */
  private static final byte[] RSA = {
    SEQUENCE, 13, 6, 9, 0x2A, (byte) 0x86, 0x48, (byte) 0x86, (byte) 0xF7, 13, 1, 1, 1, 5, 0
  };

  /** id-ecPublicKey, RFC 5480; the name of the curve follows. */
  private static final byte[] EC = {6, 7, 0x2A, (byte) 0x86, 0x48, (byte) 0xCE, 0x3D, 2, 1};

  private PrivateKeyFile() {}

  /**
   * The first key in a file.
   *
   * @param password what it is encrypted by, or "" for not at all
   * @throws InvalidKeyException saying what is wrong with it
   */
  static PrivateKey read(byte[] file, String password) throws InvalidKeyException {
    Matcher armor = ARMOR.matcher(new String(file, ISO_8859_1));
    if (!armor.find()) {
      throw new InvalidKeyException("no private key in it");
    }
    String body = armor.group(2);
    if (body.contains(ENCRYPTED_BEFORE)) {
      throw new InvalidKeyException(
          "encrypted in an old way that is not read here; openssl pkcs8 -topk8 writes the new one");
    }
    try {
      byte[] key = Base64.getMimeDecoder().decode(body);
      return switch (armor.group(1)) {
        case "RSA PRIVATE KEY" -> key(of(SEQUENCE, ZERO, RSA, of(OCTETS, key)));
        case "EC PRIVATE KEY" ->
            key(of(SEQUENCE, ZERO, of(SEQUENCE, EC, curve(key)), of(OCTETS, key)));
        case "ENCRYPTED PRIVATE KEY" -> key(decrypted(key, password));
        default -> key(key);
      };
    } catch (IndexOutOfBoundsException | IllegalArgumentException cutOff) {
      throw new InvalidKeyException("a private key that is cut off", cutOff);
    }
  }

  private static PrivateKey key(byte[] pkcs8) throws InvalidKeyException {
    for (String kind : KINDS) {
      try {
        return KeyFactory.getInstance(kind).generatePrivate(new PKCS8EncodedKeySpec(pkcs8));
      } catch (InvalidKeySpecException another) {
        continue;
      } catch (GeneralSecurityException missing) {
        throw new InvalidKeyException(missing);
      }
    }
    throw new InvalidKeyException("no private key of RSA, EC or EdDSA");
  }

  private static byte[] decrypted(byte[] encrypted, String password) throws InvalidKeyException {
    if (password.isEmpty()) {
      throw new InvalidKeyException("encrypted: tls-key-file-pass is to say by what");
    }
    try {
      EncryptedPrivateKeyInfo info = new EncryptedPrivateKeyInfo(encrypted);
      if (info.getAlgParameters() == null) {
        throw new InvalidKeyException("encrypted in a way that is not said");
      }
      // PBES2 is a family, RFC 8018; its parameters say which of them.
      String algorithm = info.getAlgParameters().toString();
      Cipher cipher = Cipher.getInstance(algorithm);
      cipher.init(
          Cipher.DECRYPT_MODE,
          SecretKeyFactory.getInstance(algorithm)
              .generateSecret(new PBEKeySpec(password.toCharArray())),
          info.getAlgParameters());
      return info.getKeySpec(cipher).getEncoded();
    } catch (IOException | GeneralSecurityException failure) {
      throw new InvalidKeyException("not encrypted by tls-key-file-pass", failure);
    }
  }

  /** The name of the curve, which SEC 1 has behind the key itself. */
  private static byte[] curve(byte[] sec1) throws InvalidKeyException {
    int at = start(sec1, 0);
    while (at < sec1.length) {
      int start = start(sec1, at);
      int end = start + length(sec1, at);
      if (end <= at) {
        throw new InvalidKeyException("a private key with a length that cannot be");
      }
      if (sec1[at] == PARAMETERS) {
        return Arrays.copyOfRange(sec1, start, end);
      }
      at = end;
    }
    throw new InvalidKeyException("a private key of EC that does not name its curve");
  }

  /** Where the content begins of what is at {@code at}. */
  private static int start(byte[] der, int at) {
    int first = der[at + 1] & 0xFF;
    return at + 2 + (first < 0x80 ? 0 : first & 0x7F);
  }

  private static int length(byte[] der, int at) {
    int first = der[at + 1] & 0xFF;
    if (first < 0x80) {
      return first;
    }
    int length = 0;
    for (int i = at + 2; i < start(der, at); i++) {
      length = length << 8 | der[i] & 0xFF;
    }
    return length;
  }

  /** Parts, one behind the other, as one. */
  private static byte[] of(byte tag, byte[]... parts) {
    int length = 0;
    for (byte[] part : parts) {
      length += part.length;
    }
    ByteBuffer made = ByteBuffer.allocate(HEADER_BYTES_MAX + length);
    made.put(tag);
    if (length < 0x80) {
      made.put((byte) length);
    } else if (length < 0x100) {
      made.put((byte) 0x81).put((byte) length);
    } else {
      // A file of so many bytes is not read.
      made.put((byte) 0x82).putShort((short) length);
    }
    for (byte[] part : parts) {
      made.put(part);
    }
    return Arrays.copyOf(made.array(), made.position());
  }
}
