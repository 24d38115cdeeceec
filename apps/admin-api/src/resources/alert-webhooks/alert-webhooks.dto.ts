import type { AlertWebhookEntity } from '@gw/entities';
import {
  ResponseField,
  responseOf,
  BooleanField,
  NameField,
  pageOf,
  partialOf,
  pickOf,
  ReferenceField,
  RowResponse,
  Strict,
  TextField,
  viewOf,
} from '@gw/web';

const URL = {
  max: 2_048,
  description:
    "Address to which alerts are sent: http or https, outside the installation's own network. Requests are signed.",
  example: 'https://hooks.example.com/budgets',
} as const;
const WORKSPACE = { optional: true, description: 'Id or slug of a workspace.' } as const;
const SECRET = { example: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=' } as const;

/** Fields of a webhook that callers can write. */
export class AlertWebhookFields {
  @NameField({ example: 'On call' }) name!: string;
  @TextField(URL) url!: string;
  @BooleanField({ optional: true, description: 'When false, nothing is sent. Default: true.' })
  enabled?: boolean;
}

@Strict()
export class CreateAlertWebhookDto extends AlertWebhookFields {
  @ReferenceField({
    optional: true,
    description:
      'Id or slug of a workspace. When absent with a credential of the whole organisation, the webhook gets alerts of all workspaces.',
  })
  workspace_id?: string;
}

@Strict()
export class UpdateAlertWebhookDto extends partialOf(AlertWebhookFields) {
  @ReferenceField(WORKSPACE) workspace_id?: string;
}

export class ListAlertWebhooksQuery extends pageOf({ size: 50, sizeMax: 100 }) {
  @ReferenceField(WORKSPACE) workspace_id?: string;
}

export class AlertWebhookResponse extends responseOf(AlertWebhookFields, RowResponse) {
  @ResponseField.uuid() readonly id!: string;
  @ResponseField.uuid({
    nullable: true,
    description: 'Workspace of the webhook; null for a webhook of the whole organisation.',
  })
  readonly workspace_id!: string | null;
  @ResponseField.uuid() readonly organisation_id!: string;
  @ResponseField.kind('alert-webhook') readonly object!: 'alert-webhook';
}

export class UpdatedAlertWebhookResponse {
  @ResponseField.text({
    ...SECRET,
    optional: true,
    description: 'The new secret, if the address has changed. It is not shown again.',
  })
  readonly secret?: string;
}

export class CreatedAlertWebhookResponse extends pickOf(AlertWebhookResponse, 'id', 'object') {
  @ResponseField.text({
    ...SECRET,
    description: 'Secret that signs requests as Standard Webhooks defines. It is not shown again.',
  })
  readonly secret!: string;
}

export const toAlertWebhook = (row: AlertWebhookEntity): AlertWebhookResponse =>
  viewOf(AlertWebhookResponse, row, { object: 'alert-webhook' });
