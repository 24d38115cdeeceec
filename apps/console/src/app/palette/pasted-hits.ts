import { useQuery } from '@tanstack/react-query';
import { call } from '../../api';
import { limits, shell } from '../../messages';
import { amountWords } from '../../pages/fields/limit-words';
import { handToPlayground, requestOfCurl } from '../../pages/playground/draft/from-curl';
import { count, moment, parseMoment, type Zone } from '../../ui/format';
import type { NamedThing, PageEntry } from '../page-entry';
import { inWorkspace } from '../shell/addresses';
import type { Hit } from './hits';
import type { Pasted, PastedLimit } from './pasted';

const PAGE = 100;
/** Maximum pages of keys that a search for a masked key reads. */
const PAGES_MAX = 10;
const STALE_MS = 30_000;
const words = shell.palette;

/** Page of the resource that owns a limit, by the scope of the limit. */
const OWNERS: Readonly<Record<string, string>> = { api_key: 'keys', provider: 'providers' };

interface Place {
  readonly pages: readonly PageEntry[];
  /** Slug of the workspace. */
  readonly ws: string;
  /** Time zone of the viewer. */
  readonly zone: Zone;
}

/** Palette rows for a pasted text. Pasted keys need a search and are handled by `useKeysByMask`. */
export function pastedHits(pasted: Pasted, text: string, { pages, ws, zone }: Place): readonly Hit[] {
  const page = (id: string): PageEntry | undefined => pages.find((entry) => entry.id === id);
  const at = (entry: PageEntry): string => inWorkspace(entry.to, ws);
  switch (pasted.kind) {
    case 'log': {
      const { id, limit } = pasted;
      const logs = page('logs');
      const log: Hit[] =
        logs === undefined
          ? []
          : [
              {
                key: `log ${id}`,
                label: words.openLog(id),
                icon: logs.icon,
                address: `${at(logs)}?log=${id}`,
              },
            ];
      return [...log, ...(limit === null ? [] : limitHits(limit, page(OWNERS[limit.scope] ?? ''), ws, zone))];
    }
    case 'trace': {
      const { id } = pasted;
      const logs = page('logs');
      if (logs === undefined) return [];
      const query = new URLSearchParams({ f: `trace:${id}` }).toString();
      return [
        { key: `trace ${id}`, label: words.openTrace(id), icon: 'sitemap', address: `${at(logs)}?${query}` },
      ];
    }
    case 'curl': {
      const playground = page('playground');
      return playground === undefined ? [] : curlHits(text, at(playground));
    }
    case 'key':
    case 'secret':
      return [];
  }
}

/** Formats what is left of a limit, such as `$0.50 of $10.00 left`. */
function leftOf({ type, limit, used, reserved, resetsAt }: PastedLimit, zone: Zone): string {
  const left = Math.max(0, limit - used - reserved);
  const end = parseMoment(resetsAt);
  const until = end === null ? null : moment(end, zone);
  if (type === 'cost') return words.left(amountWords(type, left), amountWords(type, limit), '', until);
  return words.left(count(left), count(limit), ` ${limits.rateTypes[type] ?? type}`, until);
}

function limitHits(limit: PastedLimit, owner: PageEntry | undefined, ws: string, zone: Zone): readonly Hit[] {
  const { id } = limit;
  const hint = leftOf(limit, zone);
  const label = words.openLimit(limit.scope.replaceAll('_', ' '));
  // A caller with a signed token has a derived id (UUID version 8), limits, and no page.
  return owner === undefined || id[14] === '8'
    ? []
    : [
        {
          key: `limit ${id}`,
          label,
          hint,
          icon: 'gauge',
          address: `${inWorkspace(owner.to, ws)}/${encodeURIComponent(id)}`,
        },
      ];
}

function curlHits(text: string, playground: string): readonly Hit[] {
  const replay = requestOfCurl(text);
  if (replay === null) return [];
  return [
    {
      key: 'curl',
      label: words.openCurl,
      hint: words.curlHint,
      icon: 'play',
      run: (goTo) => goTo(playground + handToPlayground(replay)),
    },
  ];
}

/**
 * Finds the keys with a masked form; several keys can have the same one. Finds none while `masked`
 * is null. The API cannot search by masked form, so this reads the pages of the list. `isPart` is
 * true when there are more keys than it has read.
 */
export function useKeysByMask(masked: string | null, workspaceId: string | undefined) {
  return useQuery({
    queryKey: ['palette', 'masked key', workspaceId, masked],
    queryFn: async ({ signal }) => {
      const keys: NamedThing[] = [];
      for (let page = 0; page < PAGES_MAX; page += 1) {
        const query = { workspace_id: workspaceId ?? '', page_size: PAGE, current_page: page };
        const { data } = await call('apiKeys_list', { query }, { signal });
        for (const { id, name, key } of data.data)
          if (key === masked) keys.push({ id, name, hint: key, to: `/w/$ws/keys/${id}` });
        if ((page + 1) * PAGE >= data.total) return { keys, isPart: false };
      }
      return { keys, isPart: true };
    },
    enabled: masked !== null && workspaceId !== undefined,
    staleTime: STALE_MS,
  });
}
