import { useQueries } from '@tanstack/react-query';
import { useMemo } from 'react';
import { read, useRead } from '../../api';
import { useCan, useSelf } from '../../app';
import { audit } from '../../messages';
import type { AuditRecord } from './use-records';

const PEOPLE_MAX = 100;
/** Maximum number of API keys whose names are read. */
const KEYS_MAX = 20;
const STALE_MS = 300_000;

const none: readonly AuditRecord[] = [];

/**
 * Returns a function that names the actor of a record: the caller, or a user or API key that the
 * caller may see; otherwise its id.
 */
export function useActorNames(records: readonly AuditRecord[] = none): (record: AuditRecord) => string {
  const self = useSelf();
  const [canPeople, canKeys] = [useCan('users_list'), useCan('apiKeys_get')];
  const people = useRead(
    'users_list',
    { query: { page_size: PEOPLE_MAX } },
    { enabled: canPeople, staleTime: 60_000 },
  );
  const keyIds = useMemo(() => (canKeys ? keysOf(records) : []), [canKeys, records]);
  const keys = useQueries({
    queries: keyIds.map((id) => ({
      ...read('apiKeys_get', { path: { id } }, { staleTime: STALE_MS }),
      // A deleted key is shown by its id.
      retry: false,
    })),
    combine: (results) => results.flatMap(({ data }) => data ?? []),
  });
  return useMemo(() => {
    const emails = (people.data?.data ?? []).map(({ id, email }) => [id, email] as const);
    const names = new Map([...emails, ...keys.map(({ id, name }) => [id, audit.keyNamed(name)] as const)]);
    return ({ user_id, user_type }) => {
      if (user_type === 'system' || user_id === null) return audit.system;
      if (user_id === self.id) return audit.you;
      return names.get(user_id) ?? user_id;
    };
  }, [people.data, keys, self.id]);
}

const keysOf = (records: readonly AuditRecord[]): readonly string[] =>
  [
    ...new Set(
      records.flatMap(({ user_type, user_id }) =>
        user_type === 'api_key' && user_id !== null ? [user_id] : [],
      ),
    ),
  ].slice(0, KEYS_MAX);
