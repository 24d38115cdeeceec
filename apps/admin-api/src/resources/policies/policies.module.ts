import { Module } from '@nestjs/common';
import { RateLimitPoliciesController, UsageLimitPoliciesController } from './policies.controller';
import { PolicyValuesService } from './policy-values.service';
import { RateLimitPoliciesService } from './rate-limit-policies.service';
import { UsageLimitPoliciesService } from './usage-limit-policies.service';

@Module({
  controllers: [UsageLimitPoliciesController, RateLimitPoliciesController],
  providers: [UsageLimitPoliciesService, RateLimitPoliciesService, PolicyValuesService],
})
export class PoliciesModule {}
