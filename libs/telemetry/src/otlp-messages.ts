import { Reader, Type } from 'protobufjs';

const LENGTH_DELIMITED = 2;
/** Groups, which OTLP does not have and a reader walks by recursion. */
const GROUPS: ReadonlySet<number> = new Set([3, 4]);
/** Levels of messages in messages. OTLP needs eight; values of attributes may be nested. */
const DEPTH_MAX = 64;

/**
 * How many messages an encoded one holds, at any depth, counted over its bytes: an empty message is two bytes and becomes an object.
 * Ends above `max`. Throws for what is no protobuf, or is nested deeper than 64 levels.
 */
export function messagesIn(bytes: Uint8Array, type: Type, max: number): number {
  const reader = Reader.create(bytes);
  let count = 0;
  const walk = (of: Type, end: number, depth: number): void => {
    if (depth > DEPTH_MAX) throw new Error('nested too deeply');
    while (reader.pos < end && count <= max) {
      const tag = reader.uint32();
      const wire = tag & 7;
      const inner = wire === LENGTH_DELIMITED ? of.fieldsById[tag >>> 3]?.resolve().resolvedType : null;
      if (GROUPS.has(wire)) throw new Error('a group');
      if (inner instanceof Type) {
        count += 1;
        const length = reader.uint32();
        walk(inner, reader.pos + length, depth + 1);
      } else reader.skipType(wire);
    }
  };
  walk(type, reader.len, 0);
  return count;
}
