import { GUARDRAIL_LIMITS } from '../bounds';

/** Gives the same text of one request the same placeholder, `[EMAIL_ADDRESS_1]`, and remembers the text of each. */
export class Placeholders {
  readonly originals = new Map<string, string>();
  private readonly given = new Map<string, string>();
  private readonly counts = new Map<string, number>();

  /** Avoids placeholders that the text contains already. Returns itself. */
  avoid(text: string): this {
    for (const { 1: label = '', 2: number = '' } of text.matchAll(/\[([A-Z_]{2,20})_(\d{1,4})\]/g)) {
      this.counts.set(label, Math.max(this.counts.get(label) ?? 0, Number(number)));
    }
    return this;
  }

  /** Past the cap the placeholder has no number, and cannot be turned back. */
  of(label: string, original: string): string {
    const key = `${label} ${original}`;
    const known = this.given.get(key);
    if (known !== undefined) return known;
    if (this.given.size >= GUARDRAIL_LIMITS.placeholdersMax) return `[${label}]`;
    const number = (this.counts.get(label) ?? 0) + 1;
    const placeholder = `[${label}_${String(number)}]`;
    this.counts.set(label, number);
    this.given.set(key, placeholder);
    this.originals.set(placeholder, original);
    return placeholder;
  }
}

const PLACEHOLDER = /\[[A-Z_]{2,20}_\d{1,4}\]/g;
const LENGTH_MAX = 27;

/** A text with what its placeholders stand for. `write` makes a text fit where it is put, for example within JSON. */
export const restored = (
  text: string,
  originals: ReadonlyMap<string, string>,
  write: (original: string) => string = (original) => original,
): string =>
  text.replaceAll(PLACEHOLDER, (placeholder) => {
    const original = originals.get(placeholder);
    return original === undefined ? placeholder : write(original);
  });

/** The same for a text that arrives in pieces: at most a placeholder's length is held back, from its bracket on. */
export class StreamRestorer {
  private held = '';

  constructor(private readonly originals: ReadonlyMap<string, string>) {}

  push(delta: string): string {
    const text = this.held + delta;
    const open = text.lastIndexOf('[');
    const mayGoOn = open !== -1 && text.length - open < LENGTH_MAX && /^\[[A-Z_]*\d*$/.test(text.slice(open));
    this.held = mayGoOn ? text.slice(open) : '';
    return restored(mayGoOn ? text.slice(0, open) : text, this.originals);
  }

  end(): string {
    const rest = this.held;
    this.held = '';
    return rest;
  }
}
