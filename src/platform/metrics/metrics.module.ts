import { Global, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { DeclaresVariables } from '../config/config.public.js';
import { MetricReadings } from './metric-readings.service.js';
import { MetricsServer } from './metrics-server.service.js';
import { METRICS_VARIABLES } from './metrics.variables.js';
import { RequestTimes } from './request-times.service.js';

@DeclaresVariables(METRICS_VARIABLES)
@Global()
@Module({
  imports: [DiscoveryModule],
  providers: [MetricReadings, MetricsServer, RequestTimes],
  exports: [MetricReadings, MetricsServer, RequestTimes],
})
export class MetricsModule {}
