import { GatewayError } from '@gw/kernel';

/**
 * Returns a `prompt_invalid` error (400); the message names the place in the template or the
 * variable.
 */
export const promptInvalid = (message: string, param?: string): GatewayError =>
  new GatewayError('prompt_invalid', { message, ...(param === undefined ? {} : { param }) });
