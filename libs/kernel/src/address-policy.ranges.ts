/** Reachability of an address: `private` is reachable only for trusted hosts, `forbidden` never. */
export type AddressClass = 'public' | 'private' | 'forbidden';

export interface ParsedAddress {
  /** Normalised text, so that two spellings of one address are equal. */
  readonly canonical: string;
  readonly class: AddressClass;
}

type Range = readonly [prefix: string, bits: number];

/**
 * Metadata and platform services of clouds. They hand out credentials, so that no list of trusted
 * hosts can allow them.
 */
const FORBIDDEN_V4: readonly Range[] = [
  ['169.254.169.0', 24], // AWS, Azure, GCP, DigitalOcean, Oracle, OpenStack, Hetzner
  ['169.254.170.2', 32], // ECS task credentials
  ['169.254.170.23', 32], // EKS pod identity
  ['100.100.100.200', 32], // Alibaba Cloud
  ['168.63.129.16', 32], // Azure platform, inside a public range
  ['192.0.0.192', 32], // Oracle Classic
];

/**
 * Ranges of the IANA special-purpose registry that are not globally reachable, multicast and class
 * E.
 */
const PRIVATE_V4: readonly Range[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
];

const FORBIDDEN_V6: readonly Range[] = [
  ['fd00:ec2::', 96], // AWS
  ['fd20:ce::254', 128], // GCP
  ['fd00:c1::a9fe:a9fe', 128], // Oracle Cloud
  ['fd00:42::42', 128], // Scaleway
];

/**
 * Special ranges inside global unicast space. Everything outside 2000::/3 is private without being
 * listed.
 */
const PRIVATE_V6: readonly Range[] = [
  ['2001::', 23], // IETF protocol assignments: Teredo, benchmarking, ORCHID
  ['2001:db8::', 32], // documentation
  ['3fff::', 20], // documentation
];

/** IPv6 forms that carry an IPv4 address, and the index of the 16-bit group where it begins. */
const EMBEDDING_V6: readonly (readonly [prefix: string, bits: number, group: number])[] = [
  ['::ffff:0:0', 96, 6], // IPv4-mapped
  ['::', 96, 6], // IPv4-compatible; :: and ::1 fall in 0.0.0.0/8
  ['::ffff:0:0:0', 96, 6], // IPv4-translated
  ['64:ff9b::', 96, 6], // NAT64
  ['2002::', 16, 1], // 6to4
];

/** Parses four decimal parts without leading zeros; returns null for any other notation. */
export function parseIPv4(text: string): readonly number[] | null {
  const match = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text);
  if (!match) return null;
  const parts = match.slice(1);
  const valid = parts.every((part) => Number(part) <= 255 && (part.length === 1 || !part.startsWith('0')));
  return valid ? parts.map(Number) : null;
}

/**
 * Parses an IPv6 address without brackets or zone into eight 16-bit groups; null for any other
 * text.
 */
export function parseIPv6(text: string): readonly number[] | null {
  if (text.length > 45 || !/^[0-9a-f:.]+$/i.test(text)) return null;
  const halves = text.split('::');
  if (halves.length > 2) return null;
  const head = groupsOf(halves[0] ?? '', halves.length === 1);
  const tail = halves.length === 2 ? groupsOf(halves[1] ?? '', true) : [];
  if (!head || !tail) return null;
  const missing = 8 - head.length - tail.length;
  if (halves.length === 1 ? missing !== 0 : missing < 1) return null;
  return [...head, ...new Array<number>(missing).fill(0), ...tail];
}

function groupsOf(text: string, mayEndInIPv4: boolean): number[] | null {
  if (text === '') return [];
  const groups: number[] = [];
  const parts = text.split(':');
  for (const [index, part] of parts.entries()) {
    if (part.includes('.')) {
      const quad = mayEndInIPv4 && index === parts.length - 1 ? parseIPv4(part) : null;
      if (!quad) return null;
      const [a = 0, b = 0, c = 0, d = 0] = quad;
      groups.push((a << 8) | b, (c << 8) | d);
    } else if (/^[0-9a-f]{1,4}$/i.test(part)) {
      groups.push(Number.parseInt(part, 16));
    } else {
      return null;
    }
  }
  return groups;
}

/**
 * Returns the class and the canonical text of an IPv4 or IPv6 address; null if the text is neither.
 */
export function parseAddress(text: string): ParsedAddress | null {
  const v4 = parseIPv4(text);
  if (v4) return { canonical: v4.join('.'), class: classOfV4(v4) };
  const v6 = parseIPv6(text);
  if (v6) return { canonical: v6.map((group) => group.toString(16)).join(':'), class: classOfV6(v6) };
  return null;
}

function classOfV4(parts: readonly number[]): AddressClass {
  if (FORBIDDEN_V4_RANGES.some((range) => contains(range, parts, 8))) return 'forbidden';
  return PRIVATE_V4_RANGES.some((range) => contains(range, parts, 8)) ? 'private' : 'public';
}

function classOfV6(groups: readonly number[]): AddressClass {
  for (const { group, ...range } of EMBEDDING_V6_RANGES) {
    if (!contains(range, groups, 16)) continue;
    if (isLoopbackOrUnspecified(groups)) return 'private';
    const [high = 0, low = 0] = groups.slice(group, group + 2);
    // An embedded private address stays forbidden even if the plain address is trusted, so that an
    // entry of the trusted hosts opens only one spelling.
    return classOfV4([high >> 8, high & 255, low >> 8, low & 255]) === 'public' ? 'public' : 'forbidden';
  }
  if (FORBIDDEN_V6_RANGES.some((range) => contains(range, groups, 16))) return 'forbidden';
  const isGlobalUnicast = (groups[0] ?? 0) >> 13 === 1;
  if (!isGlobalUnicast) return 'private';
  return PRIVATE_V6_RANGES.some((range) => contains(range, groups, 16)) ? 'private' : 'public';
}

function isLoopbackOrUnspecified(groups: readonly number[]): boolean {
  return groups.slice(0, 7).every((group) => group === 0) && (groups[7] ?? 0) <= 1;
}

interface ParsedRange {
  readonly prefix: readonly number[];
  readonly bits: number;
}

function contains(range: ParsedRange, address: readonly number[], unitBits: number): boolean {
  let bitsLeft = range.bits;
  for (let index = 0; bitsLeft > 0; index += 1, bitsLeft -= unitBits) {
    const shift = Math.max(0, unitBits - bitsLeft);
    if ((address[index] ?? 0) >> shift !== (range.prefix[index] ?? 0) >> shift) return false;
  }
  return true;
}

const parseRange = ([prefix, bits]: readonly [string, number, ...unknown[]]): ParsedRange => ({
  prefix: parseIPv4(prefix) ?? parseIPv6(prefix) ?? [],
  bits,
});

const FORBIDDEN_V4_RANGES = FORBIDDEN_V4.map(parseRange);
const PRIVATE_V4_RANGES = PRIVATE_V4.map(parseRange);
const FORBIDDEN_V6_RANGES = FORBIDDEN_V6.map(parseRange);
const PRIVATE_V6_RANGES = PRIVATE_V6.map(parseRange);
const EMBEDDING_V6_RANGES = EMBEDDING_V6.map((entry) => ({ ...parseRange(entry), group: entry[2] }));
