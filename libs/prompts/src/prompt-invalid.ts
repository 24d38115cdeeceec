import { GatewayError } from '@gw/kernel';

/** `prompt_invalid` (400) with a message that says where in the template, or with which variable. */
export const promptInvalid = (message: string, param?: string): GatewayError =>
  new GatewayError('prompt_invalid', { message, ...(param === undefined ? {} : { param }) });
