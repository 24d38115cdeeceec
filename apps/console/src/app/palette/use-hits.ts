import { useQueries } from '@tanstack/react-query';
import { useDebouncedValue } from '@mantine/hooks';
import { shell } from '../../messages';
import type { IconName } from '../../ui/icons/icon';
import type { PageEntry } from '../page-entry';
import { inWorkspace } from '../shell/addresses';
import { usePages } from '../shell/use-pages';
import { useShownWorkspace } from '../shell/use-shown-workspace';
import { refusalOf } from '../state/access';
import { useSessionFacts } from '../state/session-context';
import { pastedIn } from './pasted';

/** A row of the palette. */
export interface Hit {
  readonly key: string;
  readonly label: string;
  readonly hint?: string | undefined;
  readonly icon: IconName;
  readonly address: string;
}

export interface HitGroup {
  readonly title: string;
  readonly hits: readonly Hit[];
}

const DEBOUNCE_MS = 120;
const STALE_MS = 30_000;

const has = (label: string, text: string): boolean => label.toLowerCase().includes(text.toLowerCase());

/** Things by name, ids that were pasted, actions and pages for a text; only what the caller may open. */
export function useHits(text: string): {
  readonly groups: readonly HitGroup[];
  readonly isSearching: boolean;
} {
  const facts = useSessionFacts();
  const workspace = useShownWorkspace();
  const pages = usePages();
  const ws = workspace?.slug ?? '';
  const needle = text.replace(/^[>@/#]/, '').trim();
  const [searched] = useDebouncedValue(needle, DEBOUNCE_MS);
  const pasted = pastedIn(text);
  const prefix = /^[>@/#]/.exec(text)?.[0] ?? '';
  const findable = pages.filter(
    ({ id, things }) =>
      things !== undefined &&
      workspace !== null &&
      refusalOf(things.operation, facts, workspace) === null &&
      (prefix === '' || (prefix === '@' && id === 'providers')),
  );
  const searches = useQueries({
    queries: findable.map((page) => ({
      queryKey: ['palette', page.id, workspace?.id, searched],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        page.things?.find(searched, workspace?.id ?? '', signal) ?? [],
      enabled: searched !== '' && pasted === null,
      staleTime: STALE_MS,
    })),
  });
  const open = (page: PageEntry): Hit => ({
    key: `page ${page.id}`,
    label: page.label,
    icon: page.icon,
    address: inWorkspace(page.to, ws),
  });
  const groups: HitGroup[] = [];
  if (pasted !== null) groups.push({ title: shell.palette.pasted, hits: pastedHits(pasted, pages, ws) });
  findable.forEach((page, index) => {
    const things = searches[index]?.data ?? [];
    const hits = things.map((thing) => ({
      key: `${page.id} ${thing.id}`,
      label: thing.name,
      hint: thing.hint,
      icon: page.icon,
      address: inWorkspace(thing.to, ws),
    }));
    groups.push({ title: page.label, hits });
  });
  if (prefix === '' || prefix === '>')
    groups.push({ title: shell.palette.actions, hits: createHits(pages, needle, ws, facts, workspace) });
  if (prefix === '' || prefix === '/')
    groups.push({
      title: shell.palette.pages,
      hits: pages.filter(({ label }) => has(label, needle)).map(open),
    });
  return {
    groups: groups.filter(({ hits }) => hits.length > 0),
    isSearching: searched !== needle || searches.some(({ isFetching }) => isFetching),
  };
}

function pastedHits(
  { kind, id }: { readonly kind: 'log' | 'trace'; readonly id: string },
  pages: readonly PageEntry[],
  ws: string,
): Hit[] {
  const wanted = kind === 'log' ? 'logs' : 'traces';
  const page = pages.find((entry) => entry.id === wanted);
  if (page === undefined) return [];
  const address = inWorkspace(page.to, ws);
  const label = kind === 'log' ? shell.palette.openLog(id) : shell.palette.openTrace(id);
  return [
    {
      key: `${kind} ${id}`,
      label,
      icon: page.icon,
      address: kind === 'log' ? `${address}?log=${id}` : `${address}/${id}`,
    },
  ];
}

function createHits(
  pages: readonly PageEntry[],
  needle: string,
  ws: string,
  facts: Parameters<typeof refusalOf>[1],
  workspace: Parameters<typeof refusalOf>[2],
): Hit[] {
  return pages.flatMap(({ id, create }) => {
    if (create === undefined || refusalOf(create.operation, facts, workspace) !== null) return [];
    const label = shell.keys.create(create.label);
    if (!has(label, needle)) return [];
    return [{ key: `create ${id}`, label, icon: 'plus' as const, address: inWorkspace(create.to, ws) }];
  });
}
