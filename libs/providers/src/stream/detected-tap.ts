import type { Usage } from '@gw/contracts';
import type { CreatedObject, StreamTap } from '../provider';

/** Bytes after which a stream without a line is taken as it is. */
const HELD_BYTES_MAX = 8_192;
/** The first line with a value: `data:` of an event, or an object of its own. */
const FIRST_DATA = /(?:^|[\r\n])(?:data:|\{)[^\r\n]*[\r\n]/;
/** Members that every stream of Chat Completions has in its first event. */
const OPENAI_MEMBERS = /"(?:choices|object)"\s*:/;

/**
 * The tap of a provider with streams of its own dialect and of OpenAI's: the first event decides. Holds at most 8 KiB and a chunk until then,
 * and afterwards what the chosen tap holds.
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
