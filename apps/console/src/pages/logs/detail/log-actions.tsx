import { Button, Menu } from '@mantine/core';
import { Link, useNavigate, useRouter } from '@tanstack/react-router';
import { useQueryClient } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { problemFrom } from '../../../api';
import { useBootstrap, useWorkspace } from '../../../app';
import { logDetail } from '../../../messages/en/log-detail';
import type { LoggedBody } from '../../../ui/body';
import { Icon } from '../../../ui/icons/icon';
import { useCopy } from '../../../ui/primitives';
import { curlOf, incidentOf, sdkOf } from './copy-as';
import type { LogDetail } from './record';
import { bodyQuery } from './use-body';

const text = logDetail.actions;

/** Absolute URL of the page of a log. */
export function useAddress(log: string): string {
  const { slug: ws } = useWorkspace();
  const { href } = useRouter().buildLocation({ to: '/w/$ws/logs/$log', params: { ws, log }, search: {} });
  return new URL(href, location.origin).href;
}

/** Returns a function that opens a log in the playground. */
export function useReplay(log: string): () => void {
  const navigate = useNavigate();
  const { slug: ws } = useWorkspace();
  return () => void navigate({ to: '/w/$ws/playground', params: { ws }, search: { log } });
}

/** Buttons to replay a log, copy its request as code, and share it. */
export function LogActions({ log }: { readonly log: LogDetail }): ReactElement {
  const { slug: ws } = useWorkspace();
  const address = useAddress(log.id);
  const { state, copy } = useCopy();
  const copyRequest = useCopyRequest(log, copy);
  const label = state === 'copied' ? text.copied : state === 'failed' ? text.notCopied : text.copyAs;
  return (
    <footer className="log-actions row">
      <Link to="/w/$ws/playground" params={{ ws }} search={{ log: log.id }} className="log-replay">
        <Icon name="play" size={14} /> {text.replay}
      </Link>
      <Menu position="top-end">
        <Menu.Target>
          <Button leftSection={<Icon name="copy" size={14} />}>{label}</Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => copyRequest.run(curlOf)}>{text.curl}</Menu.Item>
          <Menu.Item onClick={() => copyRequest.run(sdkOf)}>{text.sdk}</Menu.Item>
          <Menu.Item onClick={() => void copy(JSON.stringify(log, null, 2))}>{text.json}</Menu.Item>
          <Menu.Item onClick={() => void copy(log.id)}>{text.id}</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Menu position="top-end">
        <Menu.Target>
          <Button leftSection={<Icon name="share" size={14} />}>{text.share}</Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => void copy(address)}>{text.link}</Menu.Item>
          <Menu.Item onClick={() => void copy(incidentOf(log, address))}>{text.incident}</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {copyRequest.problem !== null && (
        <span role="alert" className="xs tone-danger">
          {copyRequest.problem}
        </span>
      )}
    </footer>
  );
}

type Writer = (log: LogDetail, body: LoggedBody, gatewayUrl: string) => string | null;

/** Returns a function that copies the request as code. It reads the body on demand. */
function useCopyRequest(log: LogDetail, copy: (text: string) => Promise<boolean>) {
  const { gateway_url: gateway = '' } = useBootstrap();
  const queries = useQueryClient();
  const [problem, setProblem] = useState<string | null>(null);
  const run = (write: Writer): void => {
    setProblem(null);
    queries
      .fetchQuery(bodyQuery(log, 'request'))
      .then((body) => {
        const written = write(log, body, gateway);
        if (written === null) setProblem(text.noBody);
        else void copy(written);
      })
      .catch((thrown: unknown) => setProblem(problemFrom(thrown).message));
  };
  return { problem, run };
}
