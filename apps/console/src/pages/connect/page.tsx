import { Button, Switch, TextInput } from '@mantine/core';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useMemo, useState, type ReactElement } from 'react';
import { GoLink, useBootstrap, useWorkspace } from '../../app';
import { isRunning } from '../../gateway';
import { connect as text } from '../../messages';
import { AsCode } from '../../ui/code';
import { Icon } from '../../ui/icons/icon';
import { StatusBadge } from '../../ui/primitives';
import { Empty, Failed, Page, Pane } from '../../ui/states';
import { useFirstSend } from '../home/onboarding/use-first-send';
import { useTarget } from '../home/onboarding/use-target';
import { TargetPicker } from '../playground/columns/target-picker';
import { configOf, headersOf } from '../playground/draft/request';
import { NEW_COLUMN } from '../playground/search';
import { useClientKey } from './client-key';
import { CopyWithKey } from './copy-with-key';
import { FirstRequestLine } from './first-request-line';
import { KeyPicker } from './key-picker';
import { recipeForms } from './recipe-forms';
import { RecipeNotes } from './recipe-notes';
import { RECIPES } from './recipes';
import { decodeConnect } from './route';
import './connect.css';

/**
 * Page with the set-up of a client: its code or file with the address, key and model of the
 * workspace.
 */
export function ConnectPage(): ReactElement {
  const { slug: ws } = useWorkspace();
  const { client } = useParams({ strict: false });
  const search = decodeConnect(useSearch({ strict: false }));
  const navigate = useNavigate();
  const { gateway_url: gateway } = useBootstrap();
  const [typedBase, setTypedBase] = useState(gateway ?? '');
  // The field keeps slashes at the end, because they are the beginning of `//host`.
  const base = typedBase.trim().replace(/\/+$/, '');
  const [isKeyShown, setKeyShown] = useState(false);
  const keys = useClientKey();
  const { target: usual } = useTarget();
  const target = search.to ?? usual?.provider ?? '';
  const model = search.model ?? (search.to === undefined ? (usual?.model ?? '') : '');
  const column = { ...NEW_COLUMN, target, model };
  const config = configOf(column);
  const [firstRecipe] = RECIPES;
  const recipe = client === undefined ? firstRecipe : RECIPES.find(({ id }) => id === client);
  const sent = useMemo(
    () =>
      target === ''
        ? null
        : {
            ...{ provider: target, model, isSandbox: false },
            headers: headersOf({ ...NEW_COLUMN, target, model }),
          },
    [target, model],
  );
  const test = useFirstSend(sent, nothing);
  const values = { base, provider: config === null ? target : '', model, config, key: keys.key.secret };
  return (
    <Page
      title={text.title}
      actions={<GoLink to={`/w/${encodeURIComponent(ws)}/connect/tour`}>{text.tour}</GoLink>}
    >
      <nav className="connect-clients" aria-label={text.clients}>
        {RECIPES.map(({ id, label }) => (
          <GoLink
            key={id}
            to={`/w/${encodeURIComponent(ws)}/connect/${id}${searchText(search)}`}
            className="connect-client"
            isCurrent={id === recipe?.id}
          >
            {label}
          </GoLink>
        ))}
      </nav>
      {recipe === undefined ? (
        <Empty title={text.unknown} />
      ) : (
        <div className="connect">
          <Pane label={text.values}>
            <div className="col">
              <TextInput
                label={text.base}
                value={typedBase}
                onChange={(event) => setTypedBase(event.currentTarget.value)}
              />
              <div>
                <b className="xs">{text.target}</b>
                <TargetPicker
                  column={column}
                  label={text.target}
                  hasDraft={false}
                  onChange={({ target: to, model: chosen }) =>
                    void navigate({
                      to: '.',
                      search: { to, ...(chosen === '' ? {} : { model: chosen }) },
                      replace: true,
                    })
                  }
                />
              </div>
              <KeyPicker keys={keys} client={recipe.label} onMake={() => void keys.make(recipe, config)} />
            </div>
          </Pane>
          <Pane title={recipe.label}>
            <div className="col">
              <RecipeNotes recipe={recipe} base={base} config={config} />
              <AsCode
                key={recipe.id}
                label={recipe.label}
                forms={recipeForms([recipe], values, isKeyShown)}
              />
              <CopyWithKey key={`copy ${recipe.id}`} recipe={recipe} values={values} keys={keys} />
              {keys.key.secret !== null && (
                <Switch
                  label={text.showKey}
                  description={text.showKeyHint}
                  checked={isKeyShown}
                  onChange={(event) => setKeyShown(event.currentTarget.checked)}
                />
              )}
              <FirstRequestLine key={keys.key.id ?? ''} keyId={keys.key.id} />
              <div className="row">
                <Button
                  leftSection={<Icon name="play" size={14} />}
                  loading={test.run !== null && isRunning(test.run)}
                  disabled={sent === null}
                  onClick={test.send}
                >
                  {text.test}
                </Button>
                {test.run?.httpStatus != null && <StatusBadge status={test.run.httpStatus} />}
                <span className="ell private">{test.run?.text}</span>
              </div>
              {test.run?.problem != null && <Failed problem={test.run.problem} />}
            </div>
          </Pane>
        </div>
      )}
    </Page>
  );
}

const nothing = (): void => undefined;

const searchText = ({ to, model }: ReturnType<typeof decodeConnect>): string => {
  const search = new URLSearchParams({
    ...(to === undefined ? {} : { to }),
    ...(model === undefined ? {} : { model }),
  }).toString();
  return search === '' ? '' : `?${search}`;
};
