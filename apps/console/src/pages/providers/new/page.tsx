import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { problemFrom, useRead } from '../../../api';
import { useRefusal, useWorkspace, WhyNot } from '../../../app';
import { providers } from '../../../messages';
import { Empty, Loaded, NotAllowed, Page, Skeletons } from '../../../ui/states';
import { usePageSearch } from '../../list/use-page-search';
import { NEW_RULES } from '../rules';
import { NewProviderForm } from './form';
import { Tiles } from './tiles';
import './new.css';

/**
 * Page that adds a provider: the user chooses it from the catalogue, fills in its form and tests
 * it. One call creates integration and provider.
 */
export function NewProviderPage(): ReactElement {
  const workspace = useWorkspace();
  const refusal = useRefusal('integrations_create');
  const { state, change } = usePageSearch(NEW_RULES);
  const catalogue = useRead('providerCatalogue_list', {}, { staleTime: Infinity });
  return (
    <Page
      title={providers.newTitle}
      actions={
        <Button
          variant="subtle"
          renderRoot={(props) => <Link to="/w/$ws/providers" params={{ ws: workspace.slug }} {...props} />}
        >
          {providers.cancel}
        </Button>
      }
    >
      {refusal === null ? (
        <Loaded query={catalogue} problemOf={problemFrom} skeleton={<Skeletons shape="tiles" />}>
          {({ data }) => {
            const chosen = data.find(({ id }) => id === state.by);
            return (
              <div className="new-provider">
                <Tiles
                  all={data}
                  chosen={state.by}
                  text={state.text}
                  onText={(text) => change({ text })}
                  onChoose={(by) => change({ by }, 'push')}
                />
                {chosen === undefined ? (
                  <Empty title={providers.choose} icon="servers" />
                ) : (
                  // The key remounts the form for another provider, so that it drops the secrets of
                  // the former one.
                  <NewProviderForm key={chosen.id} provider={chosen} />
                )}
              </div>
            );
          }}
        </Loaded>
      ) : (
        <NotAllowed missing={refusal.scopes.join(', ')}>
          <WhyNot refusal={refusal} />
        </NotAllowed>
      )}
    </Page>
  );
}
