import type { CheckedCall, Members } from '@gw/a2a';
import { isObject } from '@gw/kernel';

const HIDDEN = '*****';
/** Members that hold a config, in all forms of both versions. */
const HOLDERS = ['taskPushNotificationConfig', 'pushNotificationConfig', 'pushNotification'];

/** The parameters of a call without the secrets of notifications, for the log; null when there are none. */
export function paramsWithoutSecrets({ operation, params }: CheckedCall): Members | null {
  if (operation === 'createPushConfig') return hidden(masked(params));
  const { configuration } = params;
  if (!isObject(configuration) || !HOLDERS.some((name) => isObject(configuration[name]))) return null;
  return { ...params, configuration: hidden(configuration) };
}

/** The members of an object that hold configs, without their secrets. */
const hidden = (from: Members): Members => ({
  ...from,
  ...Object.fromEntries(
    HOLDERS.flatMap((name) => {
      const config = from[name];
      return isObject(config) ? [[name, masked(config)] as const] : [];
    }),
  ),
});

function masked(config: Members): Members {
  const { token, authentication } = config;
  return {
    ...config,
    ...(token !== undefined && { token: HIDDEN }),
    ...(isObject(authentication) && { authentication: { ...authentication, credentials: HIDDEN } }),
  };
}
