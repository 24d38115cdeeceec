import type { ColumnSource } from 'hyparquet-writer';
import { TextBuffer } from './text-buffer';

export type ParquetType = NonNullable<ColumnSource['type']>;

/**
 * One column of the current part. Its values are stored outside the JavaScript heap in reused
 * memory; as objects they would leave the young generation and cause a full collection after many
 * parts.
 */
export interface ParquetColumn {
  /** Adds the value of the next row. Returns the approximate size in bytes in the file. */
  add(value: unknown): number;
  /**
   * Values of all rows since `clear` in the encoder's format. Built on each call, for one column at
   * a time.
   */
  values(): unknown[];
  clear(): void;
}

/** Column types whose values fit into a number. */
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
/** Bytes before each text in a file without a dictionary. */
const LENGTH_BYTES = 4;

class NumberColumn implements ParquetColumn {
  /** NaN represents null, because no value is NaN. */
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
  /** Byte length of each text; negative for null. */
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

/** A growing list of numbers outside the JavaScript heap. */
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

  /** Returns a view of the numbers that is valid until the next change. */
  all(): Float64Array {
    return this.numbers.subarray(0, this.count);
  }

  clear(): void {
    this.count = 0;
  }
}

/** Bodies and metadata are stored as text, because callers choose their structure. */
const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
