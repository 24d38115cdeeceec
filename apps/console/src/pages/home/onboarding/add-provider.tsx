import type { ReactElement } from 'react';
import { useRead } from '../../../api';
import { GoLink, useWorkspace } from '../../../app';
import { home } from '../../../messages';
import { ProviderMark } from '../../../ui/primitives';
import { Skeletons } from '../../../ui/states';

/** Providers offered while the workspace has only the sandbox. */
const TILES = [
  ['openai', 'OpenAI'],
  ['anthropic', 'Anthropic'],
  ['google', 'Google'],
  ['azure-openai', 'Azure'],
] as const;

/** Slugs of the workspace's providers except the sandbox; none on errors, undefined while loading. */
export function useOwnProviders(): readonly string[] | undefined {
  const { id } = useWorkspace();
  const { data, error } = useRead('providers_list', { query: { workspace_id: id, page_size: 100 } });
  if (error !== null) return [];
  return data?.data.map(({ slug }) => slug).filter((slug) => slug !== 'sandbox');
}

interface AddProviderProps {
  /** Slugs of the workspace's own providers; undefined while loading. */
  readonly found: readonly string[] | undefined;
}

/** Step 3 of the onboarding: the workspace's own providers, or tiles to add one. */
export function AddProvider({ found }: AddProviderProps): ReactElement {
  const { slug: ws } = useWorkspace();
  const providers = `/w/${encodeURIComponent(ws)}/providers`;
  if (found === undefined) return <Skeletons shape="lines" count={1} />;
  if (found.length > 0)
    return (
      <p className="row home-wrap">
        {home.provider.found}
        {found.map((slug) => (
          <GoLink key={slug} to={`${providers}/${encodeURIComponent(slug)}`}>
            <ProviderMark provider={slug}>@{slug}</ProviderMark>
          </GoLink>
        ))}
      </p>
    );
  return (
    <p className="row home-wrap">
      {TILES.map(([id, name]) => (
        <GoLink key={id} to={`${providers}/new?provider=${id}`} className="home-tile-link">
          <ProviderMark provider={id}>{name}</ProviderMark>
        </GoLink>
      ))}
      <GoLink to={`${providers}/new`} className="xs">
        {home.provider.others}
      </GoLink>
    </p>
  );
}
