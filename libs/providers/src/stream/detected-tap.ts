import type { Usage } from '@gw/contracts';
import type { CreatedObject, StreamTap } from '../provider';

/** Bytes after which the dialect is detected even without a complete first line. */
const HELD_BYTES_MAX = 8_192;
/** Matches the first line with a value: `data:` of an event, or a line that is an object. */
const FIRST_DATA = /(?:^|[\r\n])(?:data:|\{)[^\r\n]*[\r\n]/;
/** Members that every stream of Chat Completions has in its first event. */
const OPENAI_MEMBERS = /"(?:choices|object)"\s*:/;

/**
 * Reads the streams of a provider that sends its own dialect and OpenAI's: the first event decides
 * which. Buffers at most 8 KiB and a chunk until then, and afterwards as much as the tap of the
 * dialect.
 */
export class DetectedTap implements StreamTap {
  private chosen: StreamTap | null = null;
  private held: Buffer[] = [];
  private text = '';

  constructor(
    private readonly own: () => StreamTap,
    private readonly openAi: () => StreamTap,
  ) {}

  write(chunk: Buffer): void {
    if (this.chosen !== null) {
      this.chosen.write(chunk);
      return;
    }
    this.held.push(chunk);
    this.text += chunk.toString('latin1');
    const [first] = FIRST_DATA.exec(this.text) ?? [];
    if (first === undefined && this.text.length < HELD_BYTES_MAX) return;
    this.chosen = OPENAI_MEMBERS.test(first ?? this.text) ? this.openAi() : this.own();
    for (const piece of this.held) this.chosen.write(piece);
    this.held = [];
    this.text = '';
  }

  get complete(): boolean {
    return this.chosen?.complete ?? false;
  }

  get failed(): boolean {
    return this.chosen?.failed ?? false;
  }

  get finishedChoices(): number {
    return this.chosen?.finishedChoices ?? 0;
  }

  get usageMayFollow(): boolean {
    return this.chosen?.usageMayFollow ?? false;
  }

  get model(): string | null {
    return this.chosen?.model ?? null;
  }

  get made(): CreatedObject | null {
    return this.chosen?.made ?? null;
  }

  usage(): Usage | null {
    return this.chosen?.usage() ?? null;
  }

  begun(): Usage | null {
    return this.chosen?.begun() ?? null;
  }
}
