import type { Finding, WindowFollower, WindowScan } from './check';
import { replaceFindings } from './text/replace';
import { Work } from './work';

/** One scan and what came of it. */
export interface WindowedScan {
  readonly scan: WindowScan;
  /** A finding ends the stream. */
  readonly denies: boolean;
  /** Called once for each finding. */
  readonly found: (finding: Finding) => void;
  /** Called when the scan failed; true: the stream ends. */
  readonly failed: (error: unknown) => boolean;
}

export interface WindowStep {
  readonly text: string;
  readonly isDenied: boolean;
}

const NOTHING: WindowStep = { text: '', isDenied: false };
/** A finding that has no end yet keeps at most this much back; past it, it is taken as it is. */
const OPEN_LENGTH_MAX = 16_384;
/** A finding this near to the end of what has come may go on: a dot and a letter of a token, say. */
const OPEN_MARGIN = 8;
/** Text is looked at in pieces of this size at most, so that a large delta costs no long scan. */
const PIECE = 512;

/** Characters in which findings are found again and again, for each that comes and for a whole stream: text that is all findings has more. */
const LOOKS = 4;
const FIRST_LOOKS = 65_536;

/** A scan, and what follows the text for it; null: it says nothing of a text that goes on. */
interface Followed {
  readonly scan: WindowedScan;
  readonly follower: WindowFollower | null;
}

/**
 * Lets a text through that arrives in pieces. Held back is what a finding may still begin or change in, as the followers of its scans
 * know it, and at most a window: the longest finding and one character. So no part of a finding is out before the whole of it has been
 * seen. Gives out the text in order and whole, but for what findings replace. Once denied, nothing more comes out.
 */
export class StreamWindow {
  /** The original of the text that was sent last: scans also see the text before a piece. */
  private context = '';
  private pending = '';
  private isDenied = false;
  private followed: readonly Followed[];
  /** Characters that have come. */
  private came = 0;
  /** What went out last went because the window was full, so that it may end within a finding. */
  private isForced = false;
  private readonly hold: number;
  private readonly step: number;

  /** Units of work of the push that is going on. */
  private spent = 0;
  /** Characters that were looked at, where something was found in them. */
  private looked = 0;

  constructor(
    scans: readonly WindowedScan[],
    private readonly work = new Work(''),
  ) {
    this.followed = scans.map((scan) => ({ scan, follower: scan.scan.follow?.() ?? null }));
    this.hold = 1 + Math.max(0, ...scans.map(({ scan }) => scan.lengthMax));
    // Looking anew at a full window for each character would cost the window for each character; half of it keeps the first text
    // from waiting for two windows.
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
      this.came += piece.length;
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

  /** Characters that have come and are not out; of what is denied nothing more ever will be. */
  get heldLength(): number {
    if (this.isDenied) return Infinity;
    return this.followed.length === 0 ? 0 : this.pending.length;
  }

  private advance(isEnd: boolean): WindowStep {
    const base = this.context.length;
    const buffer = this.context + this.pending;
    const decided = isEnd ? buffer.length : this.openFrom() - (this.came - buffer.length);
    const isLeft = isEnd && buffer.length > base;
    const reach = isLeft ? buffer.length : this.reachIn(buffer.length, base, decided);
    if (reach === null) return NOTHING;
    const findings = this.scan(buffer, this.came - this.pending.length);
    if (findings === null) return this.deny(base, buffer, base);
    const { length } = buffer;
    // Without a scan that is left, nothing has to wait.
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

  /** Up to where the text may go out; null: it is not worth a look yet. */
  private reachIn(length: number, base: number, decided: number): number | null {
    const full = length - this.hold;
    if (decided > full && (decided <= base || this.mayLook(decided - base)))
      return decided > base ? decided : null;
    return full - base < this.step ? null : full;
  }

  /** Whether it may be looked for findings so that so many characters can go out. */
  private mayLook(gain: number): boolean {
    if (gain >= this.step || this.looked <= FIRST_LOOKS + LOOKS * this.came) return true;
    const out = this.came - this.pending.length;
    return this.followed.every((each) => this.isClear(each, out));
  }

  /** No finding ends in what is not out. */
  private isClear({ follower }: Followed, out: number): boolean {
    return follower !== null && follower.endsBy <= out && !this.isForced;
  }

  /** Where in all that has come the first finding may be that is not decided. */
  private openFrom(): number {
    return Math.min(...this.followed.map(({ follower }) => follower?.openFrom ?? 0));
  }

  /** What stood before the first denied finding may be sent; it was scanned like the rest. */
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

  /** All findings in the order of their places; null when a scan that must not fail has failed. `out`: characters that are out. */
  private scan(buffer: string, out: number): readonly Found[] | null {
    const all: Found[] = [];
    for (const each of this.followed) {
      const { scan } = each;
      try {
        this.spent = this.work.atOnce(buffer.length, this.spent);
        if (this.isClear(each, out)) continue;
        const found = scan.scan.find(buffer);
        if (found.length > 0) this.looked += buffer.length;
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
  readonly finding: Finding;
}

interface Buffer {
  readonly base: number;
  readonly reach: number;
  readonly length: number;
  readonly isEnd: boolean;
  /** No finding before `reach` can change. */
  readonly isDecided: boolean;
}

/** Up to where the text may go out: not into a finding that has no end yet. */
function cutOf(findings: readonly Found[], { base, reach, length, isEnd, isDecided }: Buffer): number {
  if (isEnd || length - base > OPEN_LENGTH_MAX) return reach;
  const open = findings.find(
    ({ scan, finding }) =>
      finding.end > length - OPEN_MARGIN && finding.start < reach && finding.start >= base && !scan.denies,
  );
  const cut = open ? open.finding.start : reach;
  return isDecided ? uncrossed(findings, cut, base) : cut;
}

/** What begins within a finding may have it give way, so that it waits with it. From the last one on: one may cross another. */
const uncrossed = (findings: readonly Found[], reach: number, base: number): number =>
  findings.reduceRight(
    (cut, { scan, finding }) =>
      finding.start < cut && finding.end > cut && finding.start >= base && !scan.denies ? finding.start : cut,
    reach,
  );

/** A character outside the basic plane has two halves, which go out together. */
function wholeCharacters(buffer: string, end: number, base: number): number {
  const code = buffer.charCodeAt(end - 1);
  const isHalf = code >= 0xd800 && code <= 0xdbff && end < buffer.length;
  return isHalf && end > base ? end - 1 : end;
}
