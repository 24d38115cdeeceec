import { useQueries } from '@tanstack/react-query';
import { useDebouncedValue } from '@mantine/hooks';
import { useMemo } from 'react';
import { problemFrom } from '../../api';
import { shell } from '../../messages';
import { announce } from '../../ui/primitives/live-region';
import type { NamedThing, PageEntry } from '../page-entry';
import { signOut } from '../session/sign-out';
import { inWorkspace } from '../shell/addresses';
import { usePages } from '../shell/use-pages';
import { useShownWorkspace } from '../shell/use-shown-workspace';
import { refusalOf } from '../state/access';
import { changePreferences, preferences, toggleUtc, useZone } from '../state/preferences';
import { useSessionFacts, type SessionFacts, type Workspace } from '../state/session-context';
import { ranked, type Hit, type HitGroup } from './hits';
import { pastedIn, type Pasted } from './pasted';
import { pastedHits, useKeysByMask } from './pasted-hits';
import { thingHit } from './thing-hits';

const DEBOUNCE_MS = 120;
const STALE_MS = 30_000;
/** Maximum length of a name that is searched. */
const NAME_MAX = 200;
const words = shell.palette;

export interface Hits {
  readonly groups: readonly HitGroup[];
  readonly isSearching: boolean;
  /** Text that says why rows are missing; null when there is nothing to say. */
  readonly note: string | null;
}

const has = (label: string, text: string): boolean => label.toLowerCase().includes(text.toLowerCase());

/** Prefix of a text: `>` actions, `@` providers, `#` logs by id, `/` pages; empty: everything. */
const prefixOf = (text: string): string => /^[>@/#]/.exec(text)?.[0] ?? '';

/** Pages, workspace and session that the palette searches in. */
interface Place {
  readonly pages: readonly PageEntry[];
  readonly workspace: Workspace | null;
  readonly facts: SessionFacts;
}

interface Wanted {
  readonly prefix: string;
  readonly term: string;
}

/**
 * Returns the palette rows for a text: resources by name, the pasted object, actions and pages that
 * the caller may open.
 */
export function useHits(text: string, onKeys: () => void): Hits {
  const facts = useSessionFacts();
  const place: Place = { facts, workspace: useShownWorkspace(), pages: usePages() };
  const prefix = prefixOf(text);
  const term = text.slice(prefix.length).trim();
  const keyPrefix = facts.bootstrap.api_key_prefix;
  const pasted = useMemo(() => pastedIn(text, keyPrefix), [text, keyPrefix]);
  const pastedHits = usePasted(pasted, text, place);
  const name = pasted === null ? term.slice(0, NAME_MAX) : '';
  const [searched] = useDebouncedValue(name, DEBOUNCE_MS);
  const things = useThings(searched, { ...place, prefix, isOn: pasted === null });
  if (pastedHits !== null) return pastedHits;
  const others = otherGroups({ prefix, term }, place, onKeys);
  const groups = [...things.groups, ...others].filter(({ hits }) => hits.length > 0);
  const isSearching = searched !== name || things.isSearching;
  const nothing = groups.length > 0 || isSearching ? null : words.nothing;
  const note = things.isPart ? words.part : nothing;
  return { groups: ranked(groups, term), isSearching, note: prefix === '#' ? words.wholeId : note };
}

const keysOf = (page: PageEntry | undefined, keys: readonly NamedThing[] = [], ws: string): readonly Hit[] =>
  page === undefined ? [] : keys.map((key) => thingHit(page, key, ws));

const partNote = (found: { readonly isPart: boolean } | undefined): string | null =>
  found?.isPart === true ? words.partOfKeys : null;

/** Rows for a pasted text; null when the text is not a pasted object. */
function usePasted(pasted: Pasted | null, text: string, { pages, workspace }: Place): Hits | null {
  const keys = pages.find(({ id }) => id === 'keys');
  const masked = pasted?.kind === 'key' && keys !== undefined ? pasted.masked : null;
  const found = useKeysByMask(masked, workspace?.id);
  const ws = workspace?.slug ?? '';
  const zone = useZone();
  const rows = useMemo(
    () => (pasted === null ? [] : pastedHits(pasted, text, { pages, ws, zone })),
    [pasted, text, pages, ws, zone],
  );
  if (pasted === null) return null;
  const own = keysOf(keys, found.data?.keys, ws);
  const hits = [...rows, ...own];
  const { isFetching: isSearching } = found;
  const part = partNote(found.data);
  if (hits.length > 0) return { groups: [{ title: words.pasted, hits }], isSearching, note: part };
  return { groups: [], isSearching, note: isSearching ? null : (part ?? noteOf(pasted)) };
}

/** Groups of matching workspaces, actions and pages. */
function otherGroups({ prefix, term }: Wanted, place: Place, onKeys: () => void): readonly HitGroup[] {
  const { facts, workspace, pages } = place;
  const isAll = prefix === '';
  const groups: HitGroup[] = [];
  if (isAll && term !== '')
    groups.push({ title: words.workspaces, hits: workspaceHits(facts, workspace, term) });
  if (isAll || prefix === '>') {
    const commands = isAll && term === '' ? [] : commandHits(term, onKeys);
    groups.push({ title: words.actions, hits: [...createHits(term, place), ...commands] });
  }
  if (isAll || prefix === '/')
    groups.push({ title: words.pages, hits: pageHits(pages, term, workspace?.slug ?? '') });
  return groups;
}

/** Explains why a pasted text has no rows. */
function noteOf({ kind }: Pasted): string {
  if (kind === 'curl') return words.noCurl;
  if (kind === 'key') return words.noKey;
  return kind === 'secret' ? words.secret : words.nothing;
}

interface ThingsPlace extends Place {
  readonly prefix: string;
  readonly isOn: boolean;
}

/**
 * Searches all lists that support a search, in parallel. The prefix `@` lists providers even
 * without a text.
 */
function useThings(text: string, { prefix, pages, workspace, facts, isOn }: ThingsPlace) {
  const findable = pages.filter(
    ({ id, things }) =>
      things !== undefined &&
      workspace !== null &&
      refusalOf(things.operation, facts, workspace) === null &&
      (prefix === '' || (prefix === '@' && id === 'providers')),
  );
  const searches = useQueries({
    queries: findable.map((page) => ({
      queryKey: ['palette', page.id, workspace?.id, text],
      queryFn: ({ signal }: { signal: AbortSignal }): Promise<readonly NamedThing[]> | NamedThing[] =>
        page.things?.find(text, workspace?.id ?? '', signal) ?? [],
      enabled: isOn && (text !== '' || prefix === '@'),
      staleTime: STALE_MS,
    })),
  });
  return {
    groups: findable.map((page, index) => ({
      title: page.label,
      hits: (searches[index]?.data ?? []).map((thing) => thingHit(page, thing, workspace?.slug ?? '')),
    })),
    isSearching: searches.some(({ isFetching }) => isFetching),
    isPart: searches.some(({ isError }) => isError),
  };
}

function pageHits(pages: readonly PageEntry[], term: string, ws: string): readonly Hit[] {
  return pages
    .filter(({ label }) => has(label, term))
    .map(({ id, label, icon, to }) => ({ key: `page ${id}`, label, icon, address: inWorkspace(to, ws) }));
}

function workspaceHits({ self }: SessionFacts, shown: Workspace | null, term: string): readonly Hit[] {
  return self.workspaces
    .filter(({ id, name, slug }) => id !== shown?.id && has(`${name} ${slug}`, term))
    .slice(0, 5)
    .map(({ id, name, slug }) => ({
      key: `workspace ${id}`,
      label: name,
      hint: slug,
      icon: 'building' as const,
      address: inWorkspace('/w/$ws', slug),
    }));
}

function createHits(term: string, { pages, facts, workspace }: Place): readonly Hit[] {
  const ws = workspace?.slug ?? '';
  return pages.flatMap(({ id, create }) => {
    if (create === undefined || refusalOf(create.operation, facts, workspace) !== null) return [];
    const label = shell.keys.create(create.label);
    if (!has(label, term)) return [];
    return [{ key: `create ${id}`, label, icon: 'plus' as const, address: inWorkspace(create.to, ws) }];
  });
}

const leaveSession = (): void => {
  signOut().catch((error: unknown) => announce(problemFrom(error).message));
};

function commandHits(term: string, onKeys: () => void): readonly Hit[] {
  const { commands } = words;
  const toggleSidebar = (): void =>
    changePreferences({ isSidebarCollapsed: !preferences().isSidebarCollapsed });
  const all: readonly Hit[] = [
    { key: 'utc', label: commands.utc, icon: 'clock', run: toggleUtc },
    { key: 'sidebar', label: commands.sidebar, icon: 'sidebar', run: toggleSidebar },
    { key: 'keys', label: commands.keys, icon: 'help', run: onKeys },
    { key: 'sign-out', label: commands.signOut, icon: 'logout', run: leaveSession },
  ];
  return all.filter(({ label }) => has(label, term));
}
