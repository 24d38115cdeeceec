import { Button, Stack, Text, Title } from '@mantine/core';
import type { ReactElement } from 'react';
import { problemFrom } from '../../api';
import { errors } from '../../messages';

/** A page that failed as a whole: the message, the request id and a way to try again. */
export function FailedPage({
  problem,
  onRetry,
}: {
  readonly problem: unknown;
  readonly onRetry: () => void;
}): ReactElement {
  const { message, requestId } = problemFrom(problem);
  return (
    <Stack role="alert" align="flex-start" p="xl">
      <Title order={2}>{errors.brokenTitle}</Title>
      <Text>{message}</Text>
      {requestId !== null && <Text size="xs">{errors.requestId(requestId)}</Text>}
      <Button onClick={onRetry}>{errors.tryAgain}</Button>
    </Stack>
  );
}
