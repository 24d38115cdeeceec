import { isObject, isRawNumber } from '@gw/kernel';
import { isSet, moved, objectAt, picked, pickedTexts, ShapeFault, type Members } from './members';

/**
 * Marks a data part of 0.3 whose data is in `data.value`, because 0.3 allows only objects. SDKs use
 * the same name.
 */
const WRAPPED = 'data_part_compat';
const KINDS: readonly string[] = ['text', 'file', 'data'];
const CONTENTS = ['text', 'raw', 'url', 'data'] as const;

/**
 * Returns a part of 0.3 (`{kind: text | file | data}`) as 1.0 writes it (`{text}`, `{raw}`, `{url}`
 * or `{data}`). A missing `kind` is taken from the members. Throws `ShapeFault`.
 */
export function partTo10(value: unknown, path = 'part'): Members {
  const part = objectAt(value, path);
  const kind = part['kind'] ?? KINDS.find((each) => isSet(part[each]));
  if (kind === 'data') return dataTo10(part, path);
  const metadata = picked(part, ['metadata']);
  if (kind === 'text') return { text: textAt(part['text'], `${path}.text`), ...metadata };
  if (kind === 'file') return { ...fileTo10(objectAt(part['file'], `${path}.file`), path), ...metadata };
  throw new ShapeFault(`${path}.kind`, `must be ${KINDS.join(', ')}`);
}

function textAt(value: unknown, path: string): string {
  if (typeof value !== 'string') throw new ShapeFault(path, 'must be a text');
  return value;
}

function fileTo10(file: Members, path: string): Members {
  const [name, to] = isSet(file['bytes']) ? ['bytes', 'raw'] : ['uri', 'url'];
  if (name === 'bytes' && isSet(file['uri']))
    throw new ShapeFault(`${path}.file`, 'must have bytes or uri, not both');
  return {
    [to]: textAt(file[name], `${path}.file.${name}`),
    ...moved(file, 'mimeType', 'mediaType'),
    ...moved(file, 'name', 'filename'),
  };
}

function dataTo10(part: Members, path: string): Members {
  const data = objectAt(part['data'], `${path}.data`);
  const { metadata } = part;
  if (!isObject(metadata) || metadata[WRAPPED] !== true) return { data, ...picked(part, ['metadata']) };
  const { [WRAPPED]: _mark, ...rest } = metadata;
  return { data: data['value'], ...(Object.keys(rest).length === 0 ? {} : { metadata: rest }) };
}

/**
 * Returns a part of 1.0 as 0.3 writes it. The part must have exactly one of `text`, `raw`, `url`
 * and `data`. Data that is not an object is wrapped as `{value}`; media type and name of texts and
 * data are dropped, because 0.3 has them only for files. Throws `ShapeFault`.
 */
export function partTo03(value: unknown, path = 'part'): Members {
  const part = objectAt(value, path);
  const [content, ...others] = CONTENTS.filter((name) =>
    name === 'data' ? Object.hasOwn(part, name) : isSet(part[name]),
  );
  if (content === undefined || others.length > 0)
    throw new ShapeFault(path, `must have one of ${CONTENTS.join(', ')}`);
  if (content === 'data') return dataTo03(part);
  const text = textAt(part[content], `${path}.${content}`);
  const metadata = picked(part, ['metadata']);
  if (content === 'text') return { kind: 'text', text, ...metadata };
  const { mediaType: mimeType, filename: name } = pickedTexts(part, ['mediaType', 'filename']);
  const file = picked({ mimeType, name }, ['mimeType', 'name']);
  return { kind: 'file', file: { [content === 'raw' ? 'bytes' : 'uri']: text, ...file }, ...metadata };
}

function dataTo03(part: Members): Members {
  const { data } = part;
  if (isObject(data) && !isRawNumber(data)) return { kind: 'data', data, ...picked(part, ['metadata']) };
  const metadata = isObject(part['metadata']) ? part['metadata'] : {};
  return { kind: 'data', data: { value: data }, metadata: { ...metadata, [WRAPPED]: true } };
}
