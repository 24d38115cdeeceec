import type { ErrorDetail } from '@gw/kernel';
import type { Type } from '@nestjs/common';
import { heldClass } from '../fields/nested-classes';

/** Items of a list whose rules are checked in one turn of the event loop: each takes a tenth of a millisecond and more. */
export const ITEMS_OF_A_TURN = 25;

/** Items of a member of the body that are left for later turns. */
export interface LaterItems {
  readonly name: string;
  readonly type: Type;
  /** Index of the first. */
  readonly from: number;
  readonly items: readonly unknown[];
}

/** Cuts long lists of objects in a body; what is cut is returned. */
export function cutLongLists(body: unknown, metatype: Type): LaterItems[] {
  if (typeof body !== 'object' || body === null) return [];
  return Object.entries(body).flatMap(([name, list]) => {
    const type = Array.isArray(list) ? heldClass(metatype, name) : null;
    if (type === null) return [];
    const items = (list as unknown[]).splice(ITEMS_OF_A_TURN);
    return items.length === 0 ? [] : [{ name, type, from: ITEMS_OF_A_TURN, items }];
  });
}

export const within = (path: string, details: readonly ErrorDetail[]): ErrorDetail[] =>
  details.map((detail) => ({ ...detail, path: `${path}.${detail.path}` }));
