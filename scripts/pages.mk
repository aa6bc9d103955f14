# The pages of reports, and the documentation as a site.

.PHONY: page web site

# The pages' scripts: checked, the same as those that are embedded, and tested in Chromium. Built
# elsewhere: what is embedded may be read at this moment, to compile another test.
BUNDLE := $(CACHE)/page
page: web/node_modules/.package-lock.json
	cd web && npm run check && npx vite build --outDir $(BUNDLE) && npx vite build --mode serve --outDir $(BUNDLE)
	cmp $(BUNDLE)/page.js internal/report/page/page.js
	cmp $(BUNDLE)/serve.js internal/serve/page/serve.js
	cd web && npm run e2e

web: web/node_modules/.package-lock.json
	cd web && npm run build

# The documentation as static files in site/dist, with the gallery of reports. A dead
# link fails it, and so does a page that would fetch something from elsewhere.
site: build site/node_modules/.package-lock.json
	@sh scripts/need.sh zstd:zstd
	sh scripts/site.sh bin/tare site
	cd site && npm run build
	@! grep -rEl --include='*.html' '<(script|link|img)[^>]*(src|href)="https?://' site/dist/*.html

# Not npm ci: npm leaves other platforms' optional packages out of the lock file
# (https://github.com/npm/cli/issues/4828), and then ci takes it for incomplete.
site/node_modules/.package-lock.json: site/package-lock.json
	@sh scripts/need.sh node:nodejs npm:npm
	cd site && npm install --no-audit --no-fund --no-save
	touch $@

web/node_modules/.package-lock.json: web/package-lock.json
	cd web && npm ci --no-audit --no-fund
	touch $@
