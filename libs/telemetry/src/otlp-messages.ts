import { Reader, Type } from 'protobufjs';

const LENGTH_DELIMITED = 2;
/** Wire types of groups, which OTLP does not use and a reader skips recursively. */
const GROUPS: ReadonlySet<number> = new Set([3, 4]);
/**
 * Maximum nesting of messages. OTLP needs eight levels, and attribute values may be nested further.
 */
const DEPTH_MAX = 64;

/**
 * Counts the messages inside an encoded message, at any depth, without decoding it, because each
 * empty message of two bytes would become an object. Stops above `max`. Throws if the bytes are not
 * protobuf or are nested deeper than 64 levels.
 */
export function messagesIn(bytes: Uint8Array, type: Type, max: number): number {
  const reader = Reader.create(bytes);
  let count = 0;
  const walk = (message: Type, end: number, depth: number): void => {
    if (depth > DEPTH_MAX) throw new Error('nested too deeply');
    while (reader.pos < end && count <= max) {
      const tag = reader.uint32();
      const wire = tag & 7;
      const inner = wire === LENGTH_DELIMITED ? message.fieldsById[tag >>> 3]?.resolve().resolvedType : null;
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
