import {
  Answer,
  BooleanField,
  NameField,
  pageOf,
  ReferenceField,
  RowAnswer,
  Strict,
  TextField,
} from '@gw/web';

const NAME = { example: 'On call' } as const;
const URL = {
  max: 2_048,
  description: 'https or http, outside of our own network. What is posted here is signed.',
  example: 'https://hooks.example.com/budgets',
} as const;
const ENABLED = { optional: true, description: 'False: nothing is posted. True when absent.' } as const;

@Strict()
export class CreateAlertWebhookDto {
  @NameField(NAME) name!: string;
  @TextField(URL) url!: string;
  @BooleanField(ENABLED) enabled?: boolean;
  @ReferenceField({
    optional: true,
    description:
      'Id or slug of a workspace. Absent with a credential of the whole organisation: the alerts of all of it.',
  })
  workspace_id?: string;
}

@Strict()
export class UpdateAlertWebhookDto {
  @NameField({ ...NAME, optional: true }) name?: string;
  @TextField({ ...URL, optional: true }) url?: string;
  @BooleanField(ENABLED) enabled?: boolean;
  @ReferenceField({ optional: true, description: 'Id or slug of a workspace.' }) workspace_id?: string;
}

export class ListAlertWebhooksQuery extends pageOf({ size: 50, sizeMax: 100 }) {
  @ReferenceField({ optional: true, description: 'Id or slug of a workspace.' }) workspace_id?: string;
}

export class AlertWebhookAnswer extends RowAnswer {
  @Answer.uuid() readonly id!: string;
  @Answer.text({ example: 'On call' }) readonly name!: string;
  @Answer.text({ example: 'https://hooks.example.com/budgets' }) readonly url!: string;
  @Answer.boolean() readonly enabled!: boolean;
  @Answer.uuid({ nullable: true, description: 'Null: of the whole organisation.' })
  readonly workspace_id!: string | null;
  @Answer.uuid() readonly organisation_id!: string;
  @Answer.kind('alert-webhook') readonly object!: 'alert-webhook';
}

export class UpdatedAlertWebhookAnswer {
  @Answer.text({
    optional: true,
    description: 'The new secret of a webhook whose address has changed. Never shown again.',
    example: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=',
  })
  readonly secret?: string;
}

export class CreatedAlertWebhookAnswer {
  @Answer.uuid() readonly id!: string;
  @Answer.text({
    description: 'Signs what is posted, as Standard Webhooks has it. Never shown again.',
    example: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=',
  })
  readonly secret!: string;
  @Answer.kind('alert-webhook') readonly object!: 'alert-webhook';
}
