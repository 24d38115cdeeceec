import { Stack, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { errors } from '../../messages';

export function NotFound(): ReactElement {
  return (
    <Stack align="flex-start" p="xl">
      <Title order={1}>{errors.notFoundTitle}</Title>
      <Text>{errors.notFound}</Text>
      <Link to="/">{errors.toHome}</Link>
    </Stack>
  );
}
