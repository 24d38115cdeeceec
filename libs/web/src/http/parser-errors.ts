import type { Socket } from 'node:net';
import { ERRORS, type ErrorType } from '@gw/kernel';
import { responseOn } from './response-on';

const BY_PARSER_CODE: ReadonlyMap<string, ErrorType> = new Map<string, ErrorType>([
  ['HPE_HEADER_OVERFLOW', 'headers_too_large'],
  ['ERR_HTTP_REQUEST_TIMEOUT', 'request_incomplete'],
]);

/**
 * Handler for `clientError` of an HTTP server: responds to parser errors with our error body and
 * closes the connection. Only closes it if an earlier response has begun, because the error would
 * become a part of that response.
 */
export function respondToParserError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable || responseOn(socket)?.headersSent === true) {
    socket.destroy();
    return;
  }
  socket.end(rawResponse(BY_PARSER_CODE.get(error.code ?? '') ?? 'request_malformed'));
}

/** Serialises an error as a complete HTTP response, for a socket without a request. */
export function rawResponse(type: ErrorType, headers: Readonly<Record<string, string>> = {}): string {
  const { status, code, message } = ERRORS[type];
  const body = JSON.stringify({ error: { message, type, param: null, code, request_id: null } });
  const more = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return (
    `HTTP/1.1 ${String(status)} ${type.replaceAll('_', ' ')}\r\ncontent-type: application/json; charset=utf-8\r\n` +
    `content-length: ${String(Buffer.byteLength(body))}\r\n${more.join('')}connection: close\r\n\r\n${body}`
  );
}
