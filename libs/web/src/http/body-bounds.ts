import { GatewayError, jsonSize } from '@gw/kernel';

/** Bounds of a JSON body. A body is parsed, checked and stored in one turn of the event loop. */
export interface BodyBounds {
  readonly bytes: number;
  /** Members of all objects. */
  readonly members: number;
  /** Objects, lists, and values after a comma. */
  readonly values: number;
  /** Nesting levels of objects and lists. */
  readonly levels: number;
}

/**
 * Throws `body_too_large` or `body_invalid` for a body beyond the bounds. Counts over the bytes in
 * linear time, before parsing and validation.
 */
export function assertWithin(body: Buffer, bounds: BodyBounds): void {
  const { members, containers, commas, depth } = jsonSize(
    body,
    (size) =>
      size.depth > bounds.levels ||
      size.members > bounds.members ||
      size.containers + size.commas > bounds.values,
  );
  if (depth > bounds.levels) {
    throw new GatewayError('body_invalid', {
      message: `The request body is nested deeper than ${String(bounds.levels)} levels; nest it less.`,
    });
  }
  if (members > bounds.members) throw tooMany(`${String(bounds.members)} members`);
  if (containers + commas > bounds.values) throw tooMany(`${String(bounds.values)} values`);
}

const tooMany = (bound: string): GatewayError =>
  new GatewayError('body_too_large', {
    message: `The request body has more than ${bound}, which is the most that this route takes; send a smaller body, or several.`,
  });
