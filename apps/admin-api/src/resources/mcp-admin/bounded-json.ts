import { isObject, truncated } from '@gw/kernel';
import type { JsonObject } from '@gw/mcp';

interface Bounds {
  /** Maximum length of a text in UTF-16 units. */
  readonly textMax: number;
  readonly itemsMax: number;
}

/** Bounds that are applied one after another until a result fits. */
const STEPS: readonly Bounds[] = [
  { textMax: 4_000, itemsMax: 200 },
  { textMax: 1_000, itemsMax: 100 },
  { textMax: 300, itemsMax: 50 },
  { textMax: 100, itemsMax: 20 },
  { textMax: 60, itemsMax: 5 },
];
const LEVELS_MAX = 16;
const MEMBERS_MAX = 200;

/** Maximum length of a result as JSON, in characters. */
export const RESULT_MAX = 49_152;

export interface Bounded {
  readonly value: JsonObject;
  /** Whether anything was left out. */
  readonly isCut: boolean;
}

/**
 * Returns a copy of at most `RESULT_MAX` characters as JSON: long texts are truncated, long lists
 * and objects lose their last items, and values that are nested too deeply become `[…]`. Invisible
 * characters are written as `⟦U+200B⟧`. Returns null when the value does not fit even with the
 * smallest bounds.
 */
export function boundedJson(value: JsonObject): Bounded | null {
  for (const bounds of STEPS) {
    const copy = new Copy(bounds);
    const bounded = copy.of(value, 0) as JsonObject;
    if (JSON.stringify(bounded).length <= RESULT_MAX) return { value: bounded, isCut: copy.isCut };
  }
  return null;
}

class Copy {
  isCut = false;

  constructor(private readonly bounds: Bounds) {}

  of(value: unknown, level: number): unknown {
    if (typeof value === 'string') return this.text(value);
    if (typeof value !== 'object' || value === null) return value;
    if (level >= LEVELS_MAX) return this.cut('[…]');
    if (Array.isArray(value)) return this.items(value, level);
    return isObject(value) ? this.members(value, level) : this.cut('[…]');
  }

  private text(value: string): string {
    const { textMax } = this.bounds;
    if (value.length <= textMax) return visible(value);
    const kept = truncated(value, textMax);
    return this.cut(`${visible(kept)}… [${String(value.length - kept.length)} more characters]`);
  }

  private items(value: readonly unknown[], level: number): readonly unknown[] {
    const kept = value.slice(0, this.bounds.itemsMax).map((item) => this.of(item, level + 1));
    return kept.length < value.length ? this.cut(kept) : kept;
  }

  private members(value: JsonObject, level: number): JsonObject {
    const entries = Object.entries(value);
    const kept = Object.fromEntries(
      entries.slice(0, MEMBERS_MAX).map(([name, item]) => [visible(name), this.of(item, level + 1)]),
    );
    return entries.length > MEMBERS_MAX ? this.cut(kept) : kept;
  }

  private cut<T>(value: T): T {
    this.isCut = true;
    return value;
  }
}

/**
 * Invisible characters: controls, marks of the writing direction, tags and others without a glyph.
 */
const HIDDEN =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\u{e0000}-\u{e01ef}]|[\ud800-\udfff]/gu;

const visible = (text: string): string =>
  text.replace(HIDDEN, (character) => {
    const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    return `⟦U+${code}⟧`;
  });
