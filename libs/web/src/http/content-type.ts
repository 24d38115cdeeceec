import type { ErrorType } from '@gw/kernel';

/** Accepted charsets: JSON is UTF-8 (RFC 8259 section 8.1), and ASCII is a subset of it. */
const CHARSET = /^charset="?(?:utf-?8|us-ascii)"?$/;
const BOUNDARY = /^boundary=(?:[^"]+|"[^"]+")$/;

/**
 * Returns the error of a JSON body's content type; null if it is acceptable. Parameters are checked
 * too, because a body declared as UTF-16 must not be read as UTF-8.
 */
export function contentTypeFault(header: string): ErrorType | null {
  const [type, ...parameters] = header.split(';').map((part) => part.trim().toLowerCase());
  if (type === 'multipart/form-data' && !parameters.some((one) => BOUNDARY.test(one)))
    return 'header_invalid';
  const isJson =
    type === 'application/json' && parameters.every((one) => !one.startsWith('charset') || CHARSET.test(one));
  return isJson ? null : 'content_type_unsupported';
}
