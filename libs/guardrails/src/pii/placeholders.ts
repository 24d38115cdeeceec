import { GUARDRAIL_LIMITS } from '../bounds';

/**
 * Assigns one placeholder such as `[EMAIL_ADDRESS_1]` to equal texts of a request, and remembers
 * the original texts.
 */
export class Placeholders {
  readonly originals = new Map<string, string>();
  private readonly placeholders = new Map<string, string>();
  private readonly counts = new Map<string, number>();

  /** Excludes placeholders that the text already contains. Returns this instance. */
  avoid(text: string): this {
    for (const { 1: label = '', 2: number = '' } of text.matchAll(/\[([A-Z_]{2,20})_(\d{1,4})\]/g)) {
      this.counts.set(label, Math.max(this.counts.get(label) ?? 0, Number(number)));
    }
    return this;
  }

  /**
   * Returns the placeholder of a text. Beyond the maximum it has no number and cannot be restored.
   */
  placeholderOf(label: string, original: string): string {
    const key = `${label} ${original}`;
    const existing = this.placeholders.get(key);
    if (existing !== undefined) return existing;
    if (this.placeholders.size >= GUARDRAIL_LIMITS.placeholdersMax) return `[${label}]`;
    const number = (this.counts.get(label) ?? 0) + 1;
    const placeholder = `[${label}_${String(number)}]`;
    this.counts.set(label, number);
    this.placeholders.set(key, placeholder);
    this.originals.set(placeholder, original);
    return placeholder;
  }
}

const PLACEHOLDER = /\[[A-Z_]{2,20}_\d{1,4}\]/g;
/** Maximum length of a placeholder. */
const LENGTH_MAX = 27;

/**
 * Replaces the placeholders of a text by the original texts. `write` adapts a text to its place,
 * for example inside JSON.
 */
export const restored = (
  text: string,
  originals: ReadonlyMap<string, string>,
  write: (original: string) => string = (original) => original,
): string =>
  text.replaceAll(PLACEHOLDER, (placeholder) => {
    const original = originals.get(placeholder);
    return original === undefined ? placeholder : write(original);
  });

/**
 * Restores a text that arrives in pieces. It holds back at most the length of a placeholder, from
 * its bracket on.
 */
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
