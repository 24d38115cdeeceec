import { readFault } from '../errors/read-fault';
import type { ProviderFault } from '../response';
import type { AwsFrame } from '../stream/aws-frames';
import { parseObject } from '../values/json';

/** Reads an exception or an error inside of a stream, which began with the status 200. */
export function streamFault({ name, message, payload }: AwsFrame): ProviderFault {
  const body = parseObject(payload.toString('utf8')) ?? {};
  return readFault('aws', 200, { 'x-amzn-errortype': name }, message === '' ? body : { message });
}
