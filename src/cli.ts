#!/usr/bin/env node
import { defineApp } from './app-definition.js';
import { run } from './run.js';

void run(defineApp({}));
