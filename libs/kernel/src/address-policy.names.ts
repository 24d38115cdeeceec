/**
 * Names of metadata services, cluster control planes, and DNS services that resolve to any address
 * (such as nip.io). They are never reachable.
 */
const FORBIDDEN_SUFFIXES: readonly string[] = [
  'metadata',
  'instance-data',
  'rancher-metadata',
  'kubernetes',
  'consul',
  'metadata.google.internal',
  'metadata.gce.internal',
  'metadata.goog',
  'metadata.azure.com',
  'metadata.azure.internal',
  'internal.cloudapp.net',
  'metadata.internal',
  'metadata.do.internal',
  'metadata.packet.net',
  'metadata.platformequinix.com',
  'metadata.tencentyun.com',
  'metadata.cloud.ibm.com',
  'instance-data.ec2.internal',
  'ec2.internal',
  'compute.internal',
  'kubernetes.default',
  'kubernetes.default.svc',
  'cluster.local',
  'nip.io',
  'sslip.io',
  'xip.io',
  'localtest.me',
  'lvh.me',
  'vcap.me',
  'traefik.me',
  'localhost.run',
];

/**
 * Top-level names that public DNS does not delegate: special-use names and the usual names of
 * private networks.
 */
const PRIVATE_TLDS: ReadonlySet<string> = new Set([
  'alt',
  'arpa',
  'corp',
  'home',
  'internal',
  'intranet',
  'invalid',
  'lan',
  'local',
  'localdomain',
  'localhost',
  'onion',
  'private',
  'svc',
  'test',
]);

/**
 * The blocked ports of the Fetch standard: services that misread an HTTP request as their own
 * protocol.
 */
const FETCH_BAD_PORTS: readonly number[] = [
  1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104,
  109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515,
  526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049,
  3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
];

/**
 * Ports of databases, caches, queues, remote desktops and control APIs. Providers do not use them,
 * and these services often need no credential.
 */
const INTERNAL_SERVICE_PORTS: readonly number[] = [
  138, // NetBIOS
  445, // SMB
  873, // rsync
  1433, // SQL Server
  1434, // SQL Server browser
  1521, // Oracle
  2181, // ZooKeeper
  2375, // Docker
  2376, // Docker over TLS
  2379, // etcd
  2380, // etcd peers
  3306, // MySQL
  3389, // RDP
  5432, // Postgres
  5671, // AMQP over TLS
  5672, // AMQP
  5900, // VNC
  5984, // CouchDB
  5985, // WinRM
  5986, // WinRM over TLS
  6379, // Redis
  6380, // Redis over TLS
  6443, // Kubernetes API
  8500, // Consul
  8501, // Consul over TLS
  9042, // Cassandra
  9092, // Kafka
  9160, // Cassandra Thrift
  9200, // Elasticsearch
  9300, // Elasticsearch nodes
  10250, // kubelet
  10255, // kubelet, read-only
  11211, // memcached
  26379, // Redis Sentinel
  27017, // MongoDB
  27018, // MongoDB shards
  27019, // MongoDB config servers
];

const BLOCKED_PORTS: ReadonlySet<number> = new Set([...FETCH_BAD_PORTS, ...INTERNAL_SERVICE_PORTS]);

/** Returns whether a port is blocked for outgoing HTTP requests. */
export const isBlockedPort = (port: number): boolean => BLOCKED_PORTS.has(port);

/**
 * Returns whether a name is the suffix itself or a subdomain of it; `notexample.org` is not within
 * `example.org`.
 */
export const isWithin = (name: string, suffix: string): boolean =>
  name === suffix || name.endsWith(`.${suffix}`);

/** Returns whether a lower-case host name is never reachable, even if it is trusted. */
export const isForbiddenName = (name: string): boolean =>
  FORBIDDEN_SUFFIXES.some((suffix) =>
    suffix.includes('.') || suffix === 'consul' ? isWithin(name, suffix) : name === suffix,
  );

/**
 * Returns whether a name resolves only inside a private network: a single label, or a private
 * top-level name.
 */
export const isPrivateName = (name: string): boolean =>
  !name.includes('.') || PRIVATE_TLDS.has(name.slice(name.lastIndexOf('.') + 1));

/** Returns the rule that a lower-case host name breaks, as a sentence; null for a valid name. */
export function brokenNameRule(name: string): string | null {
  if (name.length > 253) return 'The host name must have at most 253 characters.';
  for (const label of name.split('.')) {
    if (label === '') return 'The host name must not have empty labels or end in a dot.';
    if (label.length > 63) return 'A label of the host name must have at most 63 characters.';
    if (!/^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/.test(label)) {
      return 'The host name must hold only letters, digits, dots and inner hyphens.';
    }
    if (label.startsWith('xn--')) return 'Internationalised host names are not allowed.';
  }
  return null;
}

/**
 * Returns whether URL parsers read the host as an IPv4 number: its last label is decimal, or
 * hexadecimal after `0x`.
 */
export function endsInNumber(name: string): boolean {
  const bare = name.endsWith('.') ? name.slice(0, -1) : name;
  return /^(?:\d+|0x[0-9a-f]*)$/.test(bare.slice(bare.lastIndexOf('.') + 1));
}
