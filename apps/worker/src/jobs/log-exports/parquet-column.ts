import type { ColumnSource } from 'hyparquet-writer';
import { TextBuffer } from './text-buffer';

export type ParquetType = NonNullable<ColumnSource['type']>;

/**
 * One column of the part at hand. Its values are kept outside the heap, in memory that is used again for the next part: as objects they would
 * outlive the young generation and wait, part after part, for a big collection.
 */
export interface ParquetColumn {
  /** Of the next row. Returns the bytes that the file takes for it, or nearly. */
  add(value: unknown): number;
  /** Of all rows since `clear`, as the encoder takes them. Made for each call: for one column at a time. */
  values(): unknown[];
  clear(): void;
}

/** Of types whose values a number tells: nothing else needs to be kept. */
const FROM_NUMBER: Partial<Record<ParquetType, (value: number) => unknown>> = {
  TIMESTAMP: (value) => new Date(value),
  BOOLEAN: (value) => value === 1,
  INT64: BigInt,
  INT32: (value) => value,
  DOUBLE: (value) => value,
};

export function parquetColumn(type: ParquetType): ParquetColumn {
  const fromNumber = FROM_NUMBER[type];
  return fromNumber === undefined ? new TextColumn() : new NumberColumn(fromNumber);
}

const FIRST_ROWS = 1_024;
const FIRST_BYTES = 16_384;
const NUMBER_BYTES = 8;
/** Before each text, in a file without a dictionary. */
const LENGTH_BYTES = 4;

class NumberColumn implements ParquetColumn {
  /** NaN: null, which no value is. */
  private readonly numbers = new Numbers();

  constructor(private readonly fromNumber: (value: number) => unknown) {}

  add(value: unknown): number {
    this.numbers.push(value === null || value === undefined ? NaN : Number(value));
    return NUMBER_BYTES;
  }

  values(): unknown[] {
    return Array.from(this.numbers.all(), (value): unknown =>
      Number.isNaN(value) ? null : this.fromNumber(value),
    );
  }

  clear(): void {
    this.numbers.clear();
  }
}

class TextColumn implements ParquetColumn {
  private readonly texts = new TextBuffer(FIRST_BYTES);
  /** Of each text, in bytes; below zero: null. */
  private readonly lengths = new Numbers();

  add(value: unknown): number {
    const length = value === null || value === undefined ? -1 : this.texts.append(textOf(value));
    this.lengths.push(length);
    return LENGTH_BYTES + Math.max(0, length);
  }

  values(): unknown[] {
    let end = 0;
    return Array.from(this.lengths.all(), (length) => {
      if (length < 0) return null;
      const start = end;
      end += length;
      return this.texts.text(start, end);
    });
  }

  clear(): void {
    this.texts.clear();
    this.lengths.clear();
  }
}

/** A list outside the heap. */
class Numbers {
  private numbers = new Float64Array(FIRST_ROWS);
  private count = 0;

  push(value: number): void {
    if (this.count === this.numbers.length) {
      const larger = new Float64Array(2 * this.count);
      larger.set(this.numbers);
      this.numbers = larger;
    }
    this.numbers[this.count] = value;
    this.count += 1;
  }

  /** Until the next change. */
  all(): Float64Array {
    return this.numbers.subarray(0, this.count);
  }

  clear(): void {
    this.count = 0;
  }
}

/** Bodies and metadata are JSON, or text, as texts: their shape is the caller's. */
const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
