#!/usr/bin/env bash
# The modes of redis-cli, against the server on port $1: prints what it saw.
set -uo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cli() { redis-cli -p "$port" "$@" 2>&1; }
port=$1
# Figures that are a machine's own.
numbers() { sed -E 's/[0-9]+(\.[0-9]+)?([KMG])?/N/g; s/ +/ /g'; }
# The protocol of the commands in the lines of the input, without quoting.
protocol() {
  local line word words
  while read -r line; do
    read -ra words <<<"$line"
    printf '*%d\r\n' "${#words[@]}"
    for word in "${words[@]}"; do printf '$%d\r\n%s\r\n' "${#word}" "$word"; done
  done
}

echo "-- pipe"
cli flushall
{
  for i in $(seq 3000); do echo "SET key:$i value-$i"; done
  for i in $(seq 100); do echo "RPUSH a-list $i"; done
  for i in $(seq 40); do echo "SADD a-set $i"; done
  for i in $(seq 30); do echo "HSET a-hash f$i $i"; done
  for i in $(seq 20); do echo "ZADD a-zset $i m$i"; done
  for i in $(seq 10); do echo "XADD a-stream $i-1 f v"; done
  echo "LPUSH key:1 wrong"
  echo "NOSUCH command"
} | protocol >"$work/commands"
cli --pipe <"$work/commands"
printf 'SET inline 1\r\nINCR inline\r\n' | cli --pipe
printf '*3\r\n$3\r\nSET\r\n$1\r\nb\r\n$4\r\n\x00\r\n\x01\r\n' | cli --pipe --pipe-timeout 5
cli dbsize
cli strlen b
cli set the-biggest "$(printf '%01000d' 0)"

echo "-- scan"
cli --scan --pattern 'key:12*' | sort | sha1sum
cli --scan --pattern 'a-*' | sort
cli --scan --quoted-pattern '"key:\x31"'

echo "-- keys of all sizes"
for mode in --bigkeys --memkeys; do
  cli $mode -i 0 | grep -E '^(Biggest|Sampled|[0-9]+ [a-z]+s? with|Total key length)' | sort \
    | if [ $mode = --memkeys ]; then numbers; else cat; fi
done
cli --memkeys --memkeys-samples 0 | grep -cE '^Biggest +[a-z]+ found'
cli --hotkeys | grep Error

echo "-- figures"
timeout 2 stdbuf -oL redis-cli -p "$port" --stat -i 0.2 2>&1 | head -4 | numbers
cli --latency -i 0.3 --raw | numbers
timeout 2 stdbuf -oL redis-cli -p "$port" --latency-history -i 0.3 --raw 2>&1 | head -2 | numbers
cli --latency -i 0.2 --csv | numbers

echo "-- scripts"
cat >"$work/script.lua" <<'LUA'
local n = redis.call('incrby', KEYS[1], ARGV[1])
return {n, KEYS[2], ARGV[2], {true, false, 'x'}, redis.status_reply('FINE')}
LUA
cli --eval "$work/script.lua" n other , 5 "two words"
cli --eval "$work/script.lua" n other , 5 "two words"
echo 'return nothing()' >"$work/broken.lua"
cli --eval "$work/broken.lua"
cli eval 'redis.setresp(3); return {redis.call("hgetall", KEYS[1])}' 1 small

echo "-- output"
cli hset small f 1 g 2.5 h 'quoted " \ value'
cli zadd scores 1 a 2.5 b inf c
for format in --raw --no-raw --csv --json '-3 --no-raw' '-3 --json' '--quoted-json -3' '-3 --csv' '-2 --csv'; do
  echo "$format"
  cli $format hgetall small
  cli $format zrange scores 0 -1 withscores
  cli $format get none
  cli $format lpop small
  cli $format xrange a-stream - + count 1
  cli $format client getname
done
cli -3 zscore scores b
cli -3 --no-raw config get maxmemory
cli -3 --no-raw debug protocol map
cli -e lpop small || echo "exit $?"
cli -d ';' lrange a-list 0 3
cli -D '|' get key:1
echo

echo "-- input"
printf 'from\0stdin' | cli -x set x
cli strlen x
printf 'in the middle' | cli -X here hset middle before here after 1
printf 'in the middle' | cli -X here hset middle f here g 1
cli --no-raw hgetall middle
printf 'SET a 1\nINCR a\nMULTI\nINCR a\nGET a\nEXEC\nSUBSCRIBE\nnosuch\n' | cli
cli -n 3 set in-three 1
cli -r 3 -i 0.01 incr repeated
cli -u "redis://127.0.0.1:$port/3" get in-three
cli --quoted-input set '"\x00\xff"' '"a\tb"'
cli --quoted-input get '"\x00\xff"'

echo "-- listening"
timeout 20 stdbuf -oL redis-cli -p "$port" monitor >"$work/monitor" &
monitor=$!
until grep -q OK "$work/monitor"; do sleep 0.05; done
timeout 20 redis-cli -p "$port" psubscribe 'new*' >"$work/heard" &
listener=$!
until grep -q psubscribe "$work/heard"; do sleep 0.05; done
cli set 'monitored key' $'tab\tand\x01quote"'
cli -n 2 eval 'return redis.call("set", KEYS[1], "lua")' 1 k
printf 'MULTI\nSELECT 2\nINCR a\nEXEC\nSELECT 1\nRESET\nEVALSHA none 0\nCONFIG GET port\n' | cli >/dev/null
cli publish news 'hello all'
cli spublish news 'not to patterns'
until grep -q hello "$work/heard" && grep -q spublish "$work/monitor"; do sleep 0.05; done
kill $monitor $listener
wait 2>/dev/null
sed -E 's/^[0-9]+\.[0-9]{6} \[([0-9]) ([^]:]*)(:[0-9]+)?\]/time [\1 \2]/' "$work/monitor" | grep -v '"COMMAND" "DOCS"'
cat "$work/heard"

echo "-- errors"
cli nosuch
cli get
cli -p 1 ping
cli -a wrong --no-auth-warning ping
cli flushall
echo done
