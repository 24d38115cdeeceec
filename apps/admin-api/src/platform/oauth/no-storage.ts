import type { Adapter } from 'oidc-provider';

const none = (): Promise<undefined> => Promise.resolve(undefined);

/** Storage of the protocol engine that keeps and finds nothing; others replace what they have. */
export const NO_STORAGE: Adapter = {
  ...{ upsert: none, find: none, findByUserCode: none, findByUid: none },
  ...{ consume: none, destroy: none, revokeByGrantId: none },
};
