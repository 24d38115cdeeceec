import type { TextMatch, WindowFollower, WindowScan } from './check';
import { replaceFindings } from './text/replace';
import { Work } from './work';

/** A check's scan of a stream, with its callbacks. */
export interface WindowedScan {
  readonly scan: WindowScan;
  /** Whether a finding ends the stream. */
  readonly denies: boolean;
  /** Called once per finding. */
  readonly found: (finding: TextMatch) => void;
  /** Called when the scan failed; returns whether the stream ends. */
  readonly failed: (error: unknown) => boolean;
}

export interface WindowStep {
  readonly text: string;
  readonly isDenied: boolean;
}

const NOTHING: WindowStep = { text: '', isDenied: false };
/**
 * Maximum characters held back for a finding whose end has not arrived; a longer finding is used as
 * far as it has arrived.
 */
const OPEN_LENGTH_MAX = 16_384;
/**
 * A finding this close to the end of the arrived text may continue, for example by a dot and a
 * letter of a token.
 */
const OPEN_MARGIN = 8;
/** Text is scanned in pieces of at most this size, so that a large delta causes no long scan. */
const PIECE = 512;

/**
 * Budget for repeated scans of text with findings: characters per arrived character, plus a base
 * per stream. Only a text full of findings uses it up.
 */
const RESCAN_FACTOR = 4;
const RESCAN_BASE = 65_536;

/** A scan with its follower, which is null when the scan has none. */
interface FollowedScan {
  readonly scan: WindowedScan;
  readonly follower: WindowFollower | null;
}

/**
 * Forwards a text that arrives in pieces, and replaces or denies findings in it.
 * It holds back the part in which a finding may still start or change, as the scans' followers
 * report it, and at most a window: the longest finding plus one character. So no part of a finding
 * is sent before all of it has been seen. Text is returned in order and complete, except for
 * replaced findings. After a denial nothing more is returned.
 */
export class StreamWindow {
  /**
   * The end of the sent text, without replacements, because scans also read the text before a
   * piece.
   */
  private context = '';
  private pending = '';
  private isDenied = false;
  private followed: readonly FollowedScan[];
  /** Number of characters that have arrived. */
  private arrived = 0;
  /**
   * Whether the last text was sent because the window was full, so that it may end within a
   * finding.
   */
  private isForced = false;
  private readonly hold: number;
  private readonly step: number;

  /** Units of work of the current push. */
  private spent = 0;
  /** Number of scanned characters in texts with findings. */
  private scannedLength = 0;

  constructor(
    scans: readonly WindowedScan[],
    private readonly work = new Work(''),
  ) {
    this.followed = scans.map((scan) => ({ scan, follower: scan.scan.follow?.() ?? null }));
    this.hold = 1 + Math.max(0, ...scans.map(({ scan }) => scan.lengthMax));
    // Scanning a full window per character would cost the window for each one. Half a window keeps
    // the first text from waiting for two windows.
    this.step = Math.max(1, Math.min(64, this.hold >> 1));
  }

  push(delta: string): WindowStep {
    if (this.isDenied) return { text: '', isDenied: true };
    if (this.followed.length === 0) return { text: delta, isDenied: false };
    this.spent = 0;
    let text = '';
    for (let at = 0; at < delta.length; at += PIECE) {
      const piece = delta.slice(at, at + PIECE);
      this.pending += piece;
      this.arrived += piece.length;
      for (const { follower } of this.followed) follower?.push(piece);
      const step = this.advance(false);
      text += step.text;
      if (step.isDenied) return { text, isDenied: true };
    }
    return { text, isDenied: false };
  }

  end(): WindowStep {
    return this.isDenied ? { text: '', isDenied: true } : this.advance(true);
  }

  /** Number of characters that have arrived and are not sent; Infinity after a denial. */
  get heldLength(): number {
    if (this.isDenied) return Infinity;
    return this.followed.length === 0 ? 0 : this.pending.length;
  }

  private advance(isEnd: boolean): WindowStep {
    const base = this.context.length;
    const buffer = this.context + this.pending;
    const decided = isEnd ? buffer.length : this.openFrom() - (this.arrived - buffer.length);
    const hasRest = isEnd && buffer.length > base;
    const reach = hasRest ? buffer.length : this.reachIn(buffer.length, base, decided);
    if (reach === null) return NOTHING;
    const findings = this.scan(buffer, this.arrived - this.pending.length);
    if (findings === null) return this.deny(base, buffer, base);
    const { length } = buffer;
    // Without remaining scans, no text needs to wait.
    const isLast = isEnd || this.followed.length === 0;
    const cut = cutOf(findings, {
      base,
      reach: isLast ? length : reach,
      length,
      isEnd: isLast,
      isDecided: decided >= reach,
    });
    this.isForced = cut > decided;
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

  /**
   * Returns the position up to which text may be sent; null if a scan is not worth its cost yet.
   */
  private reachIn(length: number, base: number, decided: number): number | null {
    const full = length - this.hold;
    if (decided > full && (decided <= base || this.mayScan(decided - base)))
      return decided > base ? decided : null;
    return full - base < this.step ? null : full;
  }

  /** Returns whether a scan is allowed that lets `gain` characters be sent. */
  private mayScan(gain: number): boolean {
    if (gain >= this.step || this.scannedLength <= RESCAN_BASE + RESCAN_FACTOR * this.arrived) return true;
    const out = this.arrived - this.pending.length;
    return this.followed.every((each) => this.isClear(each, out));
  }

  /** Returns whether no finding ends in the text that is not sent. */
  private isClear({ follower }: FollowedScan, out: number): boolean {
    return follower !== null && follower.endsBy <= out && !this.isForced;
  }

  /** Returns the first position, in all arrived text, where a finding may be undecided. */
  private openFrom(): number {
    return Math.min(...this.followed.map(({ follower }) => follower?.openFrom ?? 0));
  }

  /** Ends the stream. The text before the first denied finding was scanned and may be sent. */
  private deny(base: number, buffer: string, end: number): WindowStep {
    this.isDenied = true;
    const text = this.release(buffer, base, end, []);
    this.pending = '';
    return { text, isDenied: true };
  }

  private release(buffer: string, base: number, end: number, replaced: readonly TextMatch[]): string {
    this.context = buffer.slice(Math.max(0, end - this.hold), end);
    this.pending = buffer.slice(end);
    const shifted = replaced.map((finding) => ({
      ...finding,
      start: Math.max(0, finding.start - base),
      end: finding.end - base,
    }));
    return replaceFindings(buffer.slice(base, end), shifted);
  }

  /**
   * Returns all findings in order; null when a scan that must not fail has failed. `out` is the
   * number of sent characters.
   */
  private scan(buffer: string, out: number): readonly Found[] | null {
    const all: Found[] = [];
    for (const each of this.followed) {
      const { scan } = each;
      try {
        this.spent = this.work.spendNow(buffer.length, this.spent);
        if (this.isClear(each, out)) continue;
        const found = scan.scan.find(buffer);
        if (found.length > 0) this.scannedLength += buffer.length;
        for (const finding of found) all.push({ scan, finding });
      } catch (error) {
        if (scan.failed(error)) return null;
        this.followed = this.followed.filter((other) => other !== each);
      }
    }
    return all.sort((a, b) => a.finding.start - b.finding.start || b.finding.end - a.finding.end);
  }
}

interface Found {
  readonly scan: WindowedScan;
  readonly finding: TextMatch;
}

interface Buffer {
  readonly base: number;
  readonly reach: number;
  readonly length: number;
  readonly isEnd: boolean;
  /** Whether no finding before `reach` can change. */
  readonly isDecided: boolean;
}

/** Returns the position up to which text may be sent, outside findings that have no end yet. */
function cutOf(findings: readonly Found[], { base, reach, length, isEnd, isDecided }: Buffer): number {
  if (isEnd || length - base > OPEN_LENGTH_MAX) return reach;
  const open = findings.find(
    ({ scan, finding }) =>
      finding.end > length - OPEN_MARGIN && finding.start < reach && finding.start >= base && !scan.denies,
  );
  const cut = open ? open.finding.start : reach;
  return isDecided ? uncrossed(findings, cut, base) : cut;
}

/**
 * Moves the cut before findings that cross it, from the last one on, because one may cross another.
 */
const uncrossed = (findings: readonly Found[], reach: number, base: number): number =>
  findings.reduceRight(
    (cut, { scan, finding }) =>
      finding.start < cut && finding.end > cut && finding.start >= base && !scan.denies ? finding.start : cut,
    reach,
  );

/** Keeps both halves of a surrogate pair together. */
function wholeCharacters(buffer: string, end: number, base: number): number {
  const code = buffer.charCodeAt(end - 1);
  const isHalf = code >= 0xd800 && code <= 0xdbff && end < buffer.length;
  return isHalf && end > base ? end - 1 : end;
}
