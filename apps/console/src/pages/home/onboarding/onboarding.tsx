import { Button } from '@mantine/core';
import { useCallback, type ReactElement } from 'react';
import { useBootstrap } from '../../../app';
import type { LogRow, TailState } from '../../../live';
import { home } from '../../../messages';
import { Page } from '../../../ui/states';
import { LiveList } from '../live-list';
import { AddProvider, useOwnProviders } from './add-provider';
import { Aside } from './aside';
import { BreakIt } from './break-it';
import { FirstRequest } from './first-request';
import { STEPS, type Progress, type StepId } from './progress';
import { ServiceKey } from './service-key';
import { Step } from './step';
import { TeamStep } from './team-step';
import { useFirstSend } from './use-first-send';
import { useTarget } from './use-target';

interface OnboardingProps {
  readonly progress: Progress;
  readonly tail: TailState<LogRow>;
  /** True on the tour page, which the user opened and which has no skip button. */
  readonly isTour?: boolean;
}

/** The onboarding: five steps and the live list of requests. */
export function Onboarding({ progress, tail, isTour = false }: OnboardingProps): ReactElement {
  const { gateway_url: gateway, needs_password: needsPassword } = useBootstrap();
  const read = useTarget();
  const { target } = read;
  const providers = useOwnProviders();
  const { finish } = progress;
  const first = useFirstSend(
    target,
    useCallback(() => finish('send'), [finish]),
  );
  const done: Readonly<Record<StepId, boolean>> = {
    send: progress.done.includes('send'),
    break: progress.done.includes('break'),
    provider: progress.done.includes('provider') || (providers ?? []).length > 0,
    key: progress.done.includes('key'),
    team: progress.done.includes('team') || needsPassword === false,
  };
  const now = STEPS.find((step) => !done[step]);
  const stateOf = (step: StepId) => (done[step] ? 'done' : step === now ? 'now' : 'later');
  const contents: Readonly<Record<StepId, ReactElement | false>> = {
    send: <FirstRequest read={read} run={first.run} onSend={first.send} />,
    break: (
      <BreakIt
        hasSandbox={target === undefined ? null : target?.isSandbox === true}
        onDone={() => finish('break')}
      />
    ),
    provider: <AddProvider found={providers} />,
    key: <ServiceKey onDone={() => finish('key')} />,
    team: needsPassword === true && <TeamStep onDone={() => finish('team')} />,
  };
  return (
    <Page
      title={home.running}
      actions={
        !isTour && (
          <Button size="xs" variant="subtle" onClick={progress.dismiss}>
            {home.dismiss}
          </Button>
        )
      }
    >
      <div className="home-first">
        <div>
          <p className="sub home-lead">{home.lead(`${gateway ?? ''}/v1`, target?.isSandbox === true)}</p>
          <ol className="home-steps">
            {STEPS.map((step, index) => (
              <Step
                key={step}
                number={index + 1}
                title={home.steps[step].title}
                about={home.steps[step].about}
                state={stateOf(step)}
              >
                {contents[step]}
              </Step>
            ))}
          </ol>
        </div>
        <div className="col home-aside">
          <LiveList tail={tail}>
            <p className="xs muted home-live-note">{home.live.about}</p>
          </LiveList>
          <Aside />
        </div>
      </div>
    </Page>
  );
}
