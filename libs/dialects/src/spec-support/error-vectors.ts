import { CLIENT_CODECS } from '../codecs';
import { readFault, shapeOfDialect } from '../errors/read-fault';
import type { ProviderFault } from '../response';
import { mismatches } from './matching';
import type { Vector } from './vectors';

const CANONICAL: Readonly<Record<string, keyof ProviderFault>> = {
  class: 'class',
  message: 'message',
  provider_type: 'type',
  retry_after_ms: 'retryAfterMs',
  status: 'status',
};

/**
 * Returns the mismatches of an error vector: in the decoded fault, and in the error that a client
 * gets.
 */
export function errorFaults({ expect, from, to, input }: Vector): string[] {
  const headers = (input['headers'] ?? {}) as Record<string, string>;
  const fault = readFault(shapeOfDialect(from), Number(input['status']), headers, input['body']);
  if (to === 'canonical') {
    return Object.entries(expect).flatMap(([name, expected]) =>
      mismatches(expected, fault[CANONICAL[name] ?? 'code'], new Map(), name),
    );
  }
  const client = CLIENT_CODECS.get(to);
  if (client === undefined) throw new Error(`No client codec of ${to}`);
  return [
    ...mismatches(expect['status'], fault.status),
    ...mismatches(expect['body'], client.encodeError(fault, 'req_1')),
  ];
}
