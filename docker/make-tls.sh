#!/bin/sh
# Makes a certificate authority and the certificate of Redis, for the names by which compose and Kubernetes reach it.
#   sh docker/make-tls.sh docker/tls
#   kubectl -n tollgate create secret generic tollgate-redis-tls --from-file=docker/tls
# The authority's own key lies next to the folder (tls-ca.key): keep it apart or delete it, since it can sign for anybody.
# Needs openssl; an existing folder is left alone.
set -eu
folder=${1:?the folder to make}
mkdir "$folder"
cd "$folder"
umask 077
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 3650 -subj '/CN=Tollgate Redis CA' \
  -keyout ca.key -out ca.crt 2>/dev/null
openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj '/CN=redis' -keyout tls.key -out tls.csr 2>/dev/null
printf 'subjectAltName=DNS:redis,DNS:redis.tollgate.svc,DNS:localhost,IP:127.0.0.1\n' > tls.ext
openssl x509 -req -in tls.csr -CA ca.crt -CAkey ca.key -CAcreateserial -days 825 -extfile tls.ext -out tls.crt 2>/dev/null
rm tls.csr tls.ext ca.srl
mv ca.key ../"$(basename "$PWD")"-ca.key
chmod 644 ca.crt tls.crt
