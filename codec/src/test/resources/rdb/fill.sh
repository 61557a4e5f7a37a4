#!/bin/sh
# Fills a server with one value of each encoding that came after Redis 7.0, and saves it:
#
#   redis-server --port 7800 &    fill.sh 7800; cp dump.rdb redis-8.0.rdb     (8.0.2: version 12)
#   valkey-server --port 7801 &   fill.sh 7801; cp dump.rdb valkey-8.1.rdb    (8.1.1: version 11)
#                                 fill.sh 7801; cp dump.rdb valkey-9.1.rdb    (9.1.2: version 80)
#
# RdbImportTest says what is in these files.
ask() { redis-cli -p "$port" "$@" > /dev/null; }

port=$1
ask FLUSHALL
ask FUNCTION FLUSH
ask SET string value
ask SET number 12345
ask SET compressed "$(printf 'abc%.0s' $(seq 100))"
ask SET later x PXAT 4000000000000
ask SADD set a b c 22
ask SADD integers 3 1 2
ask HSET hash f v g w
ask ZADD sorted 1.5 one inf most -inf least
ask RPUSH list a 7 "$(printf 'y%.0s' $(seq 9000))"
ask XADD stream 1-1 a b
ask XADD stream 2-1 a c
ask XGROUP CREATE stream g 0
ask XREADGROUP GROUP g me COUNT 1 STREAMS stream '>'
ask HPEXPIREAT hash 4000000000000 FIELDS 1 f
ask CONFIG SET hash-max-listpack-entries 2
ask HSET expiring a 1 b 2 c 3
ask HPEXPIREAT expiring 4000000000000 FIELDS 1 b
ask HPEXPIREAT expiring 4000000001000 FIELDS 1 c
ask HSET large a 1 b 2 c 3
ask CONFIG SET hash-max-listpack-entries 128
ask FUNCTION LOAD REPLACE "#!lua name=lib
redis.register_function('f', function() return 1 end)"
ask -n 3 SET elsewhere yes
ask CONFIG SET maxmemory-policy "${2:-allkeys-lru}"
ask GET string
ask SAVE
ask CONFIG SET maxmemory-policy noeviction
