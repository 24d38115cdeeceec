import type { CheckedCall, Members } from '@gw/a2a';
import { isObject } from '@gw/kernel';

const HIDDEN = '*****';
/** Members that hold a push config, in all formats of both A2A versions. */
const HOLDERS = ['taskPushNotificationConfig', 'pushNotificationConfig', 'pushNotification'];

/**
 * Returns the params of a call with the secrets of push configs masked, for the log; null when
 * there are none.
 */
export function paramsWithoutSecrets({ operation, params }: CheckedCall): Members | null {
  if (operation === 'createPushConfig') return withMaskedConfigs(masked(params));
  const { configuration } = params;
  if (!isObject(configuration) || !HOLDERS.some((name) => isObject(configuration[name]))) return null;
  return { ...params, configuration: withMaskedConfigs(configuration) };
}

/** Masks the secrets in the members of an object that hold configs. */
const withMaskedConfigs = (from: Members): Members => ({
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
