import type { ErrorType } from '@gw/kernel';

/** RFC 8259 section 8.1: JSON between systems is UTF-8, of which ASCII is a part. */
const CHARSET = /^charset="?(?:utf-?8|us-ascii)"?$/;
const BOUNDARY = /^boundary=(?:[^"]+|"[^"]+")$/;

/**
 * What is wrong with the content type of a JSON body; null when it is fine. A body that says it is UTF-16 must not be read as
 * UTF-8, so the parameters count, too.
 */
export function contentTypeFault(header: string): ErrorType | null {
  const [type, ...parameters] = header.split(';').map((part) => part.trim().toLowerCase());
  if (type === 'multipart/form-data' && !parameters.some((one) => BOUNDARY.test(one)))
    return 'header_invalid';
  const isJson =
    type === 'application/json' && parameters.every((one) => !one.startsWith('charset') || CHARSET.test(one));
  return isJson ? null : 'content_type_unsupported';
}
