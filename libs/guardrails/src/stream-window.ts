import type { Finding, WindowScan } from './check';
import { replaceFindings } from './text/replace';

/** One scan and what came of it. */
export interface WindowedScan {
  readonly scan: WindowScan;
  /** A finding ends the stream. */
  readonly denies: boolean;
  /** Told of every finding once. */
  readonly found: (finding: Finding) => void;
  /** Told when the scan could not be carried out; true: the stream ends. */
  readonly failed: (error: unknown) => boolean;
}

export interface WindowStep {
  readonly text: string;
  readonly isDenied: boolean;
}

const NOTHING: WindowStep = { text: '', isDenied: false };
/** A finding that has no end yet keeps at most this much back; past it, it is taken as it stands. */
const OPEN_LENGTH_MAX = 16_384;
/** A finding this near to the end of what has come may go on: a dot and a letter of a token, say. */
const OPEN_MARGIN = 8;
/** Text is looked at in pieces of this size at most, so that a large delta costs no long scan. */
const PIECE = 512;

/**
 * Lets a text through that arrives in pieces, with at most a window of it held back: the longest finding of its scans and one
 * character, so that no part of a finding is out before the whole of it has been seen. Gives out the text in order and whole, but
 * for what findings replace. Once denied, nothing more comes out.
 */
export class StreamWindow {
  /** What went out last, as it came in: scans see what stands before a text, too. */
  private context = '';
  private pending = '';
  private isDenied = false;
  private scans: readonly WindowedScan[];
  private readonly hold: number;
  private readonly step: number;

  constructor(scans: readonly WindowedScan[]) {
    this.scans = scans;
    this.hold = 1 + Math.max(0, ...scans.map(({ scan }) => scan.lengthMax));
    // Looking anew at the window for each character would cost the window for each character; half of it keeps the first text
    // from waiting for two windows.
    this.step = Math.max(1, Math.min(64, this.hold >> 1));
  }

  push(delta: string): WindowStep {
    if (this.isDenied) return { text: '', isDenied: true };
    if (this.scans.length === 0) return { text: delta, isDenied: false };
    let text = '';
    for (let at = 0; at < delta.length; at += PIECE) {
      this.pending += delta.slice(at, at + PIECE);
      const step = this.advance(false);
      text += step.text;
      if (step.isDenied) return { text, isDenied: true };
    }
    return { text, isDenied: false };
  }

  end(): WindowStep {
    return this.isDenied ? { text: '', isDenied: true } : this.advance(true);
  }

  /** Characters that have come and are not out; of what is denied nothing more ever will be. */
  get heldLength(): number {
    if (this.isDenied) return Infinity;
    return this.scans.length === 0 ? 0 : this.pending.length;
  }

  private advance(isEnd: boolean): WindowStep {
    const base = this.context.length;
    const buffer = this.context + this.pending;
    const reach = isEnd ? buffer.length : buffer.length - this.hold;
    if (isEnd ? reach === base : reach - base < this.step) return NOTHING;
    const findings = this.scan(buffer);
    if (findings === null) return this.deny(base, buffer, base);
    const cut = cutOf(findings, { base, reach, length: buffer.length, isEnd });
    const acted = findings.filter(({ finding }) => finding.end > base && finding.start < cut);
    for (const { scan, finding } of acted) if (finding.start >= base || scan.denies) scan.found(finding);
    const denied = acted.find(({ scan }) => scan.denies);
    if (denied) return this.deny(base, buffer, Math.max(base, denied.finding.start));
    const replaced = acted.map(({ finding }) => finding).filter(({ replacement }) => replacement !== null);
    const end = replaced.reduce((furthest, finding) => Math.max(furthest, finding.end), cut);
    return {
      text: this.release(buffer, base, wholeCharacters(buffer, end, base), replaced),
      isDenied: false,
    };
  }

  /** What stood before the first denied finding may be told; it was looked at as all the rest. */
  private deny(base: number, buffer: string, end: number): WindowStep {
    this.isDenied = true;
    const text = this.release(buffer, base, end, []);
    this.pending = '';
    return { text, isDenied: true };
  }

  private release(buffer: string, base: number, end: number, replaced: readonly Finding[]): string {
    this.context = buffer.slice(Math.max(0, end - this.hold), end);
    this.pending = buffer.slice(end);
    const shifted = replaced.map((finding) => ({
      ...finding,
      start: Math.max(0, finding.start - base),
      end: finding.end - base,
    }));
    return replaceFindings(buffer.slice(base, end), shifted);
  }

  /** All findings in the order of their places; null when a scan that must not fail has failed. */
  private scan(buffer: string): readonly Found[] | null {
    const all: Found[] = [];
    for (const scan of this.scans) {
      try {
        for (const finding of scan.scan.find(buffer)) all.push({ scan, finding });
      } catch (error) {
        if (scan.failed(error)) return null;
        this.scans = this.scans.filter((other) => other !== scan);
      }
    }
    return all.sort((a, b) => a.finding.start - b.finding.start || b.finding.end - a.finding.end);
  }
}

interface Found {
  readonly scan: WindowedScan;
  readonly finding: Finding;
}

interface Buffer {
  readonly base: number;
  readonly reach: number;
  readonly length: number;
  readonly isEnd: boolean;
}

/** Up to where the text may go out: not into a finding that has no end yet. */
function cutOf(findings: readonly Found[], { base, reach, length, isEnd }: Buffer): number {
  if (isEnd || length - base > OPEN_LENGTH_MAX) return reach;
  const open = findings.find(
    ({ scan, finding }) =>
      finding.end > length - OPEN_MARGIN && finding.start < reach && finding.start >= base && !scan.denies,
  );
  return open ? open.finding.start : reach;
}

/** A character outside the basic plane has two halves, which go out together. */
function wholeCharacters(buffer: string, end: number, base: number): number {
  const code = buffer.charCodeAt(end - 1);
  const isHalf = code >= 0xd800 && code <= 0xdbff && end < buffer.length;
  return isHalf && end > base ? end - 1 : end;
}
