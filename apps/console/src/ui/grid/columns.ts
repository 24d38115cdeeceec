import { useMemo, useState, type ReactNode } from 'react';
import { readStored, writeStored } from '../stored';

/** A column of a grid. */
export interface Column<Row> {
  readonly id: string;
  readonly header: string;
  /** Width in pixels. */
  readonly width: number;
  /** Share of the remaining space that the column takes. */
  readonly grow?: number;
  readonly align?: 'left' | 'right';
  readonly cell: (row: Row) => ReactNode;
  /** API field by which the column sorts; absent when it cannot. */
  readonly sort?: string;
  /** True for a column that is hidden by default. */
  readonly optional?: boolean;
}

/** Minimum and maximum width of a column, in pixels. */
export const [WIDTH_MIN, WIDTH_MAX] = [48, 900];

interface StoredColumns {
  readonly shown: readonly string[] | null;
  readonly widths: Readonly<Record<string, number>>;
}

export interface ColumnChoice<Row> {
  /** Visible columns, in order. */
  readonly shown: readonly Column<Row>[];
  readonly widths: Readonly<Record<string, number>>;
  readonly setShown: (ids: readonly string[]) => void;
  readonly setWidth: (id: string, width: number) => void;
  readonly reset: () => void;
}

const NOTHING: StoredColumns = { shown: null, widths: {} };

/**
 * Visible columns, their order and widths, stored in the browser under `storageKey`. A non-empty
 * `fromUrl` overrides which columns are visible.
 */
export function useColumns<Row>(
  storageKey: string,
  columns: readonly Column<Row>[],
  fromUrl: readonly string[] = [],
): ColumnChoice<Row> {
  const key = `grid:${storageKey}`;
  const [stored, setStored] = useState<StoredColumns>(() => readColumns(key));
  return useMemo(() => {
    const keep = (next: StoredColumns): void => {
      setStored(next);
      writeStored(key, next);
    };
    // Reads the stored columns again, because another tab may have changed them.
    const latest = (): StoredColumns => readColumns(key, stored);
    const ids = fromUrl.length > 0 ? fromUrl : stored.shown;
    const known = (ids ?? []).flatMap((id) => columns.find((column) => column.id === id) ?? []);
    return {
      shown: known.length > 0 ? known : columns.filter(({ optional }) => optional !== true),
      widths: stored.widths,
      setShown: (shown) => keep({ ...latest(), shown }),
      setWidth: (id, width) => {
        const { shown, widths } = latest();
        const own = Math.min(WIDTH_MAX, Math.max(WIDTH_MIN, Math.round(width)));
        keep({ shown, widths: { ...widths, [id]: own } });
      },
      reset: () => keep(NOTHING),
    };
  }, [columns, fromUrl, key, stored]);
}

/**
 * Reads the stored columns; returns `otherwise` when there are none. Ignores invalid values, for
 * example from another version.
 */
function readColumns(key: string, otherwise = NOTHING): StoredColumns {
  const value = readStored(key) as Partial<StoredColumns> | null;
  if (typeof value !== 'object' || value === null) return otherwise;
  const { shown, widths } = value;
  const isWidths =
    typeof widths === 'object' && widths !== null && Object.values(widths).every(Number.isFinite);
  return {
    shown: Array.isArray(shown) && shown.every((id) => typeof id === 'string') ? shown : null,
    widths: isWidths ? widths : {},
  };
}

/** `grid-template-columns` of the shown columns. */
export const templateOf = <Row>(
  shown: readonly Column<Row>[],
  widths: Readonly<Record<string, number>>,
): string =>
  shown
    .map(({ id, width, grow }) => {
      const own = widths[id];
      if (own !== undefined) return `${own}px`;
      return grow === undefined ? `${width}px` : `minmax(${width}px, ${grow}fr)`;
    })
    .join(' ');

/** Minimum width of a row in pixels, which does not depend on the content of its cells. */
export const leastWidth = <Row>(
  shown: readonly Column<Row>[],
  widths: Readonly<Record<string, number>>,
): number => shown.reduce((sum, { id, width }) => sum + (widths[id] ?? width), 0);
