import { Button } from '@mantine/core';
import type { ReactElement } from 'react';
import { useBootstrap } from '../../../app';
import { connect, home } from '../../../messages';
import { AsCode } from '../../../ui/code';
import { Icon } from '../../../ui/icons/icon';
import { StatusBadge } from '../../../ui/primitives';
import { Failed } from '../../../ui/states';
import { isRunning, type Run } from '../../../gateway';
import { RECIPES } from '../../connect/recipes';
import { recipeForms } from '../../connect/recipe-forms';
import { LogLink } from '../log-link';
import type { TargetRead } from './use-target';

/** Recipes that fit into the row of the button. */
const SHOWN = [
  'curl',
  'openai-python',
  'openai-typescript',
  'anthropic',
  'claude-code',
  'codex',
  'langchain',
];

interface FirstRequestProps {
  /** Target of the request. */
  readonly read: TargetRead;
  readonly run: Run | null;
  readonly onSend: () => void;
}

/** Step 1 of the onboarding: code of the first request, and a button that sends it. */
export function FirstRequest({ read, run, onSend }: FirstRequestProps): ReactElement {
  const { gateway_url: gateway } = useBootstrap();
  const { target, problem, retry } = read;
  if (problem !== null) return <Failed problem={problem} onRetry={retry} />;
  if (target === null) return <p className="sub">{home.first.nothing}</p>;
  const forms = recipeForms(
    RECIPES.filter(({ id }) => SHOWN.includes(id)),
    {
      base: gateway ?? '',
      provider: target?.provider ?? '@sandbox',
      model: target?.model ?? 'sandbox-small',
      config: null,
      key: null,
    },
  );
  return (
    <>
      <AsCode label={home.first.code} forms={forms} initial="openai-python" maxHeight={190} />
      <div className="row">
        <Button
          variant="filled"
          leftSection={<Icon name="play" size={14} />}
          onClick={onSend}
          loading={run !== null && isRunning(run)}
          disabled={target === undefined}
        >
          {home.first.send}
        </Button>
        <span className="xs muted">{connect.keyIsMasked}</span>
      </div>
      {run !== null && <FirstResponse run={run} />}
    </>
  );
}

function FirstResponse({ run }: { readonly run: Run }): ReactElement {
  if (run.problem !== null) return <Failed problem={run.problem} />;
  return (
    <div className="home-answer" role="status" aria-label={home.first.response}>
      {run.httpStatus !== null && <StatusBadge status={run.httpStatus} />}
      <p className="grow private">{run.text}</p>
      {run.requestId !== null && !isRunning(run) && <LogLink id={run.requestId}>{home.first.why}</LogLink>}
    </div>
  );
}
