import { GatewayError } from '@gw/kernel';

/** A 400 for what Anthropic cannot express, naming the field in the caller's own body. */
export const refuse = (param: string, message: string): GatewayError =>
  new GatewayError('validation_failed', { message, param, details: [{ path: param, message }] });
