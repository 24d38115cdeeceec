import type { ReactElement } from 'react';
import { useRead } from '../../../api';
import { GoLink, useWorkspace } from '../../../app';
import { home } from '../../../messages';
import { ProviderMark } from '../../../ui/primitives';

/** Providers offered when the environment has no provider key. */
const TILES = [
  ['openai', 'OpenAI'],
  ['anthropic', 'Anthropic'],
  ['google', 'Google'],
  ['azure-openai', 'Azure'],
] as const;

/** Slugs of the workspace's providers except the sandbox; undefined while loading. */
export function useOwnProviders(): readonly string[] | undefined {
  const { id } = useWorkspace();
  const { data } = useRead('providers_list', { query: { workspace_id: id, page_size: 100 } });
  return data?.data.map(({ slug }) => slug).filter((slug) => slug !== 'sandbox');
}

/** Step 3 of the onboarding: providers found in the environment, or tiles to add one. */
export function AddProvider({ found }: { readonly found: readonly string[] }): ReactElement {
  const { slug: ws } = useWorkspace();
  const providers = `/w/${encodeURIComponent(ws)}/providers`;
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
