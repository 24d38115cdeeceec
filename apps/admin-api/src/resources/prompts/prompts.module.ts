import { Module } from '@nestjs/common';
import { PartialsController } from './partials.controller';
import { PartialsService } from './partials.service';
import { PromptSharesService } from './prompt-shares.service';
import { PromptsController } from './prompts.controller';
import { PromptsService } from './prompts.service';

@Module({
  // Partials first: the id of a prompt could otherwise be read from their path.
  controllers: [PartialsController, PromptsController],
  providers: [PromptsService, PartialsService, PromptSharesService],
})
export class PromptsModule {}
