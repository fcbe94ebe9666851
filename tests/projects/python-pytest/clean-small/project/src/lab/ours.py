def not_counted(:
