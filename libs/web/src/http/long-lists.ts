import type { ErrorDetail } from '@gw/kernel';
import type { Type } from '@nestjs/common';
import { heldClass } from '../fields/nested-classes';

/**
 * Number of list items that are validated in one turn of the event loop; each takes a tenth of a
 * millisecond or more.
 */
export const ITEMS_OF_A_TURN = 25;

/** Items of a body member that are validated in later turns. */
export interface LaterItems {
  readonly name: string;
  readonly type: Type;
  /** Index of the first item. */
  readonly from: number;
  readonly items: readonly unknown[];
}

/** Removes the items after the first 25 from lists of objects in a body, and returns them. */
export function cutLongLists(body: unknown, metatype: Type): LaterItems[] {
  if (typeof body !== 'object' || body === null) return [];
  return Object.entries(body).flatMap(([name, list]) => {
    const type = Array.isArray(list) ? heldClass(metatype, name) : null;
    if (type === null) return [];
    const items = (list as unknown[]).splice(ITEMS_OF_A_TURN);
    return items.length === 0 ? [] : [{ name, type, from: ITEMS_OF_A_TURN, items }];
  });
}

/** Returns the details with the path of their object in front of their own paths. */
export const detailsAt = (path: string, details: readonly ErrorDetail[]): ErrorDetail[] =>
  details.map((detail) => ({ ...detail, path: `${path}.${detail.path}` }));
