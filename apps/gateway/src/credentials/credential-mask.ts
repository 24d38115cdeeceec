import { Buffer } from 'node:buffer';

/** The bytes by which a credential is found in a response while it is forwarded. */
export interface Probe {
  readonly bytes: Buffer;
  /** A part of `bytes`, near their beginning. */
  readonly part: Buffer;
  /** Offset of the part in `bytes`. */
  readonly start: number;
}

const PART_LENGTH = 12;
/** Maximum bytes at the beginning of a credential that are public, such as `sk-proj-`. */
const START_MAX = 12;
const STAR = 0x2a;

/**
 * Creates a probe whose part begins with a character that is rare in responses, because that makes
 * the search faster.
 */
export function probeOf(text: string): Probe {
  const bytes = Buffer.from(text);
  const startMax = Math.max(0, Math.min(START_MAX, bytes.length - PART_LENGTH));
  const beginning = [...bytes.toString('latin1', 0, startMax + 1)];
  const places = SELDOM.map((characters) => beginning.findIndex((one) => characters.includes(one)));
  const start = places.find((at) => at !== -1) ?? 0;
  return { bytes, start, part: bytes.subarray(start, start + PART_LENGTH) };
}

const SELDOM = ['ABCDEFGHIJKLMNOPQRSTUVWXYZ_', 'jqxzkvw', 'bfgpy'];

/**
 * Masks a credential with stars while a response is forwarded, and keeps the length of the
 * response. Modifies the pieces in place. Holds back the end of a piece only when it may be the
 * beginning of a probe.
 */
export class CredentialMask {
  private held: Buffer | null = null;
  /** For each credential, how many of its bytes the last piece ended with. */
  private readonly inside: number[];

  constructor(private readonly probes: readonly Probe[]) {
    this.inside = probes.map(() => 0);
  }

  pass(chunk: Buffer): Buffer {
    const bytes = this.held === null ? chunk : Buffer.concat([this.held, chunk]);
    const { probes, inside } = this;
    let begun = 0;
    let isInside = false;
    for (let index = 0; index < probes.length; index += 1) {
      const probe = probes[index] as Probe;
      const ended = mask(bytes, probe, inside[index] as number);
      inside[index] = ended;
      if (ended > 0) isInside = true;
      else begun = Math.max(begun, begunAtEnd(bytes, probe.part));
    }
    this.held = null;
    if (begun === 0 || isInside) return bytes;
    this.held = bytes.subarray(bytes.length - begun);
    return bytes.subarray(0, bytes.length - begun);
  }

  /** The bytes held back, at the end of the response; null when there are none. */
  rest(): Buffer | null {
    const { held } = this;
    this.held = null;
    return held;
  }
}

/** Masks one credential; returns how many of its bytes the piece ends with. */
function mask(bytes: Buffer, probe: Probe, inside: number): number {
  let last = inside === 0 ? NOWHERE : maskOn(bytes, 0, probe.bytes, inside);
  for (;;) {
    const at = bytes.indexOf(probe.part, last.at);
    if (at === -1) return last.at === bytes.length ? last.inside : 0;
    maskBack(bytes, at, probe);
    last = maskOn(bytes, at, probe.bytes, probe.start);
  }
}

interface Masked {
  readonly at: number;
  /** Bytes of the credential before `at`; 0 when the match has ended. */
  readonly inside: number;
}

const NOWHERE: Masked = { at: 0, inside: 0 };

function maskOn(bytes: Buffer, from: number, credential: Buffer, first: number): Masked {
  let [at, inside] = [from, first];
  while (at < bytes.length && inside < credential.length && bytes[at] === credential[inside]) {
    bytes[at] = STAR;
    at += 1;
    inside += 1;
  }
  return { at, inside: inside === credential.length ? 0 : inside };
}

function maskBack(bytes: Buffer, from: number, { bytes: credential, start }: Probe): void {
  for (let back = 1; back <= start && bytes[from - back] === credential[start - back]; back += 1)
    bytes[from - back] = STAR;
}

/** Number of bytes at the end of the piece that are the beginning of `part`. */
function begunAtEnd(bytes: Buffer, part: Buffer): number {
  for (let length = Math.min(part.length - 1, bytes.length); length > 0; length -= 1) {
    const at = bytes.length - length;
    if (bytes[at] === part[0] && bytes.compare(part, 0, length, at) === 0) return length;
  }
  return 0;
}
